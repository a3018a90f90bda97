import { zValidator } from '@hono/zod-validator';
import {
  managementOperations,
  OPTIONAL_SERVICE_NAMES,
  routingPath,
  type ServiceName,
} from '@switchboard/contracts';
import { type Context, Hono } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { proxy } from 'hono/proxy';
import { z } from 'zod';
import { type Issuer, tokenRequest } from './issuer.ts';
import { FOREIGN_PAGE, isForeignPage, JSON_ONLY } from './local-access.ts';

const keySet = z.object({ keys: z.array(z.looseObject({})) });

interface IssuerOptions {
  issuer: Issuer;
  /** Whether to mint tokens: on a loopback address alone. */
  mayMint: boolean;
  /** The address of the keys of a second issuer, which are added while it answers. */
  otherKeys?: string;
}

/** Mounts the issuer's keys and `POST /dev/tokens`. */
export function mountIssuer(
  app: Hono<{ Bindings: object }>,
  { issuer, mayMint, otherKeys }: IssuerOptions,
): void {
  const routes = new Hono();
  routes.onError((error, c) => {
    // Thrown by the validator.
    if (error instanceof HTTPException && error.status === 400)
      return refuse(c, 'BAD_REQUEST', 'body: not valid JSON', 400);
    throw error;
  });
  routes.get('/.well-known/jwks.json', async (c) => {
    const others = otherKeys === undefined ? [] : await keysAt(otherKeys);
    return c.json({ keys: [...issuer.jwks.keys, ...others] });
  });
  routes.post(
    '/dev/tokens',
    async (c, next) => {
      if (!mayMint)
        return refuse(c, 'FORBIDDEN', 'Tokens are minted on a loopback address only. Unset HOST.', 403);
      if (isForeignPage(c.req.raw)) return refuse(c, 'FORBIDDEN', FOREIGN_PAGE, 403);
      // JSON only: without a preflight request, a web page can post other types or none.
      if (!/^application\/json *(;|$)/i.test(c.req.header('content-type') ?? ''))
        return refuse(c, 'BAD_REQUEST', JSON_ONLY, 415);
      return next();
    },
    zValidator('json', tokenRequest, (result, c) => {
      if (result.success) return undefined;
      const [issue] = result.error.issues;
      const problem = `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'invalid'}`;
      return refuse(c, 'BAD_REQUEST', problem, 400);
    }),
    async (c) => c.json({ token: await issuer.mint(c.req.valid('json')) }, 201),
  );
  app.route('/', routes);
}

const KEYS_WITHIN_MS = 2_000;

const keysAt = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(KEYS_WITHIN_MS) })
    .then(async (answer) => keySet.parse(await answer.json()).keys)
    .catch(() => []);

const refuse = (c: Context, code: string, message: string, status: 400 | 403 | 415) =>
  c.json({ error: { code, message } }, status);

/**
 * Creates a single address for the management API of several services. An optional service may have no
 * address. Throws if another one has none.
 */
export function createManagementProxy(addresses: Partial<Record<ServiceName, string>>): Hono {
  const app = new Hono();
  for (const { path, service } of managementOperations) {
    const address = addresses[service];
    if (address === undefined) {
      if (OPTIONAL_SERVICE_NAMES.some((name) => name === service)) continue;
      throw new Error(`no address for ${service}`);
    }
    app.all(routingPath(path), (c) => {
      const { pathname, search } = new URL(c.req.url);
      return proxy(`${address}${pathname}${search}`, c.req);
    });
  }
  return app;
}
