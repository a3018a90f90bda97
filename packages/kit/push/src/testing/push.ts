/// <reference path="./http_ece.d.ts" />
import { createECDH, createPublicKey, type ECDH, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { trustedCertificate } from '@switchboard/mail/testing';
import { decrypt } from 'http_ece';
import webPush from 'web-push';
import type { PushTarget } from '../pusher.ts';

export interface ReceivedPush {
  path: string;
  headers: NodeJS.Dict<string | string[]>;
  payload: { type: string; title: string; body: string; url: string; tag: string };
}

export interface PushService {
  received: ReceivedPush[];
  /**
   * Returns a subscription as a browser would pass it to the console. Its pushes are decrypted with its own keys.
   */
  subscribe(name: string): PushTarget;
  /** The origin of the endpoints. */
  origin: string;
  /** The status of the response to a subscription, instead of 201. */
  statuses: Map<string, number>;
  /** The handler that responds to a subscription instead. */
  answers: Map<string, (response: ServerResponse) => void>;
  stop(): Promise<void>;
}

/** Starts a push service on https with its own certificate, which this process trusts from then on. */
export async function pushService(): Promise<PushService> {
  const browsers = new Map<string, { keys: ECDH; auth: Buffer }>();
  const received: ReceivedPush[] = [];
  const statuses = new Map<string, number>();
  const answers: PushService['answers'] = new Map();
  let origin = '';
  const server = createServer(await trustedCertificate(), async (request, response) => {
    const path = request.url ?? '';
    const answer = answers.get(path);
    if (answer !== undefined) return answer(response);
    if (!isSigned(request.headers.authorization ?? '', origin)) return response.writeHead(401).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const browser = browsers.get(path);
    const status = browser === undefined ? 404 : (statuses.get(path) ?? 201);
    if (browser !== undefined && status === 201) {
      const plain = decrypt(Buffer.concat(chunks), {
        version: 'aes128gcm',
        privateKey: browser.keys,
        authSecret: browser.auth.toString('base64url'),
      });
      received.push({ path, headers: request.headers, payload: JSON.parse(plain.toString()) });
    }
    response.writeHead(status).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  origin = `https://localhost:${port}`;
  return {
    origin,
    received,
    statuses,
    answers,
    subscribe(name) {
      const keys = createECDH('prime256v1');
      const auth = randomBytes(16);
      browsers.set(`/${name}`, { keys, auth });
      const p256dh = keys.generateKeys().toString('base64url');
      return {
        endpoint: `${origin}/${name}`,
        keys: { p256dh, auth: auth.toString('base64url') },
      };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns new VAPID keys, as settings. */
export function vapidSettings(): { VAPID_PUBLIC_KEY: string; VAPID_PRIVATE_KEY: string } {
  const { publicKey, privateKey } = webPush.generateVAPIDKeys();
  return { VAPID_PUBLIC_KEY: publicKey, VAPID_PRIVATE_KEY: privateKey };
}

const DAY_SECONDS = 86_400;

/** Whether an `Authorization` header has a valid VAPID token for the origin (RFC 8292). */
function isSigned(authorization: string, origin: string): boolean {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  const [header = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  if (point.length !== 65) return false;
  const x = point.subarray(1, 33).toString('base64url');
  const y = point.subarray(33).toString('base64url');
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  const isGenuine = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isGenuine) return false;
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const left = exp - Date.now() / 1000;
  return aud === origin && left > 0 && left <= DAY_SECONDS && /^(mailto|https):/.test(sub);
}
