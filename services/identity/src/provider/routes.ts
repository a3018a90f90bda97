import { alreadySent, type ServiceApp } from '@switchboard/http';
import type { Limits } from '../limits/limits.ts';
import { MOUNT } from '../pages/document.ts';
import type { Providers } from './providers.ts';

const DEVICE_PAGE = `${MOUNT}/device`;
const BEGINNINGS: readonly string[] = [`${MOUNT}/authorize`, `${MOUNT}/device/authorize`];

/** Serves the OpenID provider below the path of the issuer, for requests that no page answered. */
export function providerRoutes(
  app: ServiceApp,
  { providers, issuer, limits }: { providers: Providers; issuer: string; limits: Limits },
): void {
  const { host, protocol } = new URL(issuer);
  app.hono.all(`${MOUNT}/*`, async (c) => {
    const { incoming, outgoing, requestId } = c.env;
    if (incoming === undefined || outgoing === undefined) return c.notFound();
    const { url: originalUrl = '', headers } = incoming;
    if (BEGINNINGS.includes(c.req.path)) await limits.begin(c.env.address);
    // Codes of devices are short enough to guess.
    if (c.req.path === DEVICE_PAGE && c.req.method === 'POST') await limits.visit(c.env.address);
    // The provider derives its addresses from these. What a client sent must not change them.
    delete headers['x-forwarded-host'];
    Object.assign(headers, { host, 'x-forwarded-proto': protocol.slice(0, -1) });
    Object.assign(incoming, { originalUrl, url: originalUrl.slice(MOUNT.length) || '/' });
    outgoing.setHeader('X-Request-Id', requestId);
    await providers.current().callback()(incoming, outgoing);
    return alreadySent();
  });
}
