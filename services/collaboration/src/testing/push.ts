import { createECDH, type ECDH, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { PushSubscription } from '@switchboard/directory';
import { trustedCertificate } from '@switchboard/mail/testing';
import { decrypt } from 'http_ece';

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
  subscribe(name: string): PushSubscription;
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
  const server = createServer(await trustedCertificate(), async (request, response) => {
    const path = request.url ?? '';
    const answer = answers.get(path);
    if (answer !== undefined) return answer(response);
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
  return {
    received,
    statuses,
    answers,
    subscribe(name) {
      const keys = createECDH('prime256v1');
      const auth = randomBytes(16);
      browsers.set(`/${name}`, { keys, auth });
      const p256dh = keys.generateKeys().toString('base64url');
      return {
        endpoint: `https://localhost:${port}/${name}`,
        keys: { p256dh, auth: auth.toString('base64url') },
      };
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
