import { clientAddress } from '@switchboard/http';
import { createSender, networkList, SendFailed } from '@switchboard/runtime';
import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import type { Cookies } from '../session/cookies.ts';
import type { Limits } from '../session/limits.ts';
import { isOwnPage } from '../session/own-page.ts';
import { managementPath } from './path.ts';
import { readState } from './state.ts';

interface OperatorOptions {
  /** The management address of each service. Undefined: the deployment has no pages for operators. */
  urls: Readonly<Record<string, string>> | undefined;
  cookies: Cookies;
  limits: Limits;
  /** The number of trusted proxies in front of the service. */
  trustedHops: number;
  consoleUrl: string;
  /** The time limit of a call in milliseconds. Default: CALL_MS. */
  callMs?: number | undefined;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const WITHOUT_BODY = new Set(['GET', 'DELETE']);
const MAX_BODY_BYTES = 1_048_576;
const MAX_ANSWER_BYTES = 8_388_608;
/** Two headers are joined, and do not match. */
const BEARER = /^Bearer (\S+)$/i;
const MAX_TOKEN_LENGTH = 8_192;
const CALL_MS = 15_000;
const STATE_MS = 5_000;
/** The headers of a request, and of its response, that are passed on. */
const SENT = ['content-type', 'if-match'];
const RETURNED = ['content-type', 'etag', 'retry-after', 'x-request-id'];
/** Keeps an answer that a browser opens from being more than text. */
const GUARDED = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; sandbox",
};
/** The operator chose the addresses, and services are on private networks. */
const ANY_NETWORK = networkList.parse('0.0.0.0/0,::/0');

/**
 * Mounts what the pages of operators call: the state of the deployment, and the management API of each service. Each
 * service verifies the caller's token and keeps its audit trail.
 */
export function operatorRoutes(app: Hono, options: OperatorOptions): void {
  const { urls, cookies, limits, trustedHops, consoleUrl, callMs = CALL_MS } = options;
  const { origin } = new URL(consoleUrl);
  if (urls === undefined) {
    const missing = (c: Context) =>
      refuse(c, 404, 'NOT_FOUND', 'This deployment has no pages for operators. Set MANAGEMENT_URLS.');
    app.all('/operator', missing);
    app.all('/operator/*', missing);
    return;
  }
  const config = { OUTGOING_PRIVATE_NETWORKS: ANY_NETWORK };
  const call = createSender({ config, timeoutMs: callMs, maxBytes: MAX_ANSWER_BYTES });
  const read = createSender({ config, timeoutMs: STATE_MS, maxBytes: MAX_ANSWER_BYTES });
  const addressOf = (c: Context) => clientAddress(c.req.raw, c.env, trustedHops);

  const guard = async (c: Context, next: () => Promise<void>) => {
    for (const [name, value] of Object.entries(GUARDED)) c.header(name, value);
    if (!isOwnPage(c, origin))
      return refuse(c, 403, 'FORBIDDEN', 'Only pages of the console may call this address.');
    await limits.operate(addressOf(c));
    if (!(await cookies.isOperator(c)))
      return refuse(c, 403, 'FORBIDDEN', 'Requires service.manage in the access token. Sign in again.');
    return next();
  };

  app.use('/operator/state', guard);
  app.get('/operator/state', async (c) => c.json(await readState(urls, read)));

  app.use('/operator/:service/management/*', guard);
  app.on(
    METHODS,
    '/operator/:service/management/*',
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: (c) => refuse(c, 413, 'PAYLOAD_TOO_LARGE', `Send at most ${MAX_BODY_BYTES} bytes.`),
    }),
    async (c) => {
      const service = c.req.param('service');
      const url = Object.hasOwn(urls, service) ? urls[service] : undefined;
      const { pathname, search } = new URL(c.req.url);
      const path = managementPath(pathname, service);
      if (url === undefined || path === undefined)
        return refuse(c, 404, 'NOT_FOUND', 'Not an operation of a service in MANAGEMENT_URLS.');
      const [, token] = BEARER.exec(c.req.header('authorization') ?? '') ?? [];
      if (token === undefined || token.length > MAX_TOKEN_LENGTH)
        return refuse(
          c,
          401,
          'UNAUTHORIZED',
          'Access token missing. Send it as Authorization: Bearer <token>.',
        );
      const headers = new Headers({ Authorization: `Bearer ${token}`, 'X-Forwarded-For': addressOf(c) });
      for (const name of SENT) {
        const value = c.req.header(name);
        if (value !== undefined) headers.set(name, value);
      }
      const { method } = c.req;
      const body = WITHOUT_BODY.has(method) ? null : await c.req.arrayBuffer();
      try {
        const answer = await call(url + path + search, { method, headers, body });
        const returned = new Headers(GUARDED);
        for (const name of RETURNED) {
          const value = answer.headers.get(name);
          if (value !== null) returned.set(name, value);
        }
        return new Response(answer.body, { status: answer.status, headers: returned });
      } catch (error) {
        if (!(error instanceof SendFailed)) throw error;
        // A change without a response may have taken effect, so only reads are tried again.
        const status = error.kind === 'late' ? 504 : method === 'GET' ? 503 : 502;
        return refuse(c, status, 'UNAVAILABLE', `${service} does not answer: ${error.message}`);
      }
    },
  );
}

const refuse = (c: Context, status: 401 | 403 | 404 | 413 | 502 | 503 | 504, code: string, message: string) =>
  c.json({ error: { code, message } }, status);
