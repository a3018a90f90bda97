import { managementOperations, routingPath, type ServiceName } from '@switchboard/contracts';
import { Hono } from 'hono';
import { proxy } from 'hono/proxy';
import { type Issuer, tokenRequest } from './issuer.ts';
import { FOREIGN_PAGE, isForeignPage, JSON_ONLY } from './local-access.ts';

/** The issuer's keys, and `POST /dev/tokens`, which mints only on a loopback address (`mayMint`). */
export function mountIssuer(app: Hono<{ Bindings: object }>, issuer: Issuer, mayMint: boolean): void {
  app.get('/.well-known/jwks.json', (c) => c.json(issuer.jwks));
  app.post('/dev/tokens', async (c) => {
    const refuse = (code: string, message: string, status: 400 | 403 | 415) =>
      c.json({ error: { code, message } }, status);
    if (!mayMint)
      return refuse('FORBIDDEN', 'Tokens are minted on a loopback address only. Unset HOST.', 403);
    if (isForeignPage(c.req.raw)) return refuse('FORBIDDEN', FOREIGN_PAGE, 403);
    // Nothing but JSON: a web page can post other types, and none at all, without asking first.
    if (!/^application\/json *(;|$)/i.test(c.req.header('content-type') ?? ''))
      return refuse('BAD_REQUEST', JSON_ONLY, 415);
    const parsed = tokenRequest.safeParse(await c.req.json().catch(() => undefined));
    if (parsed.success) return c.json({ token: await issuer.mint(parsed.data) }, 201);
    const issue = parsed.error.issues[0];
    return refuse('BAD_REQUEST', `${issue?.path.join('.') || 'body'}: ${issue?.message ?? 'invalid'}`, 400);
  });
}

/** A placeholder for your console: links in mails and shares lead here. */
export function createConsole(): Hono {
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Console</title>
<p>Switchboard has no console. This address stands for yours (CONSOLE_URL).</p></html>`;
  return new Hono().get('*', (c) => c.html(page, 200, { 'Content-Security-Policy': "default-src 'none'" }));
}

/** One address for the management API of several services. Throws if a service with management operations has none. */
export function createManagementProxy(addresses: Partial<Record<ServiceName, string>>): Hono {
  const app = new Hono();
  for (const { path, service } of managementOperations) {
    const address = addresses[service];
    if (address === undefined) throw new Error(`no address for ${service}`);
    app.all(routingPath(path), (c) => {
      const { pathname, search } = new URL(c.req.url);
      return proxy(`${address}${pathname}${search}`, c.req);
    });
  }
  return app;
}
