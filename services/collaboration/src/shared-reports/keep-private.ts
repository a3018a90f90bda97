import type { ServiceApp } from '@switchboard/service-kit';

const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'no-referrer',
};

/** Keeps everything below a path out of caches, search engines and Referer headers: its address is a secret. */
export function keepPrivate(app: ServiceApp, path: string): void {
  app.hono.use(path, async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
  });
}
