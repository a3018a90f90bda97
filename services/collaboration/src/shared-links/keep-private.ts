import type { ServiceApp } from '@switchboard/http';

export const PRIVATE_HEADERS = {
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'no-referrer',
};

/**
 * Keeps all responses below a path out of caches, search engines and Referer headers, because the address is a
 * secret. Successful responses are created with PRIVATE_HEADERS, because changing the headers of a response
 * costs as much as sending it.
 */
export function keepPrivate(app: ServiceApp, path: string): void {
  app.hono.use(path, async (c, next) => {
    await next();
    if (c.res.status < 400) return;
    for (const [name, value] of Object.entries(PRIVATE_HEADERS)) c.res.headers.set(name, value);
  });
}
