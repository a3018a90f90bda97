import { deletePublicLink, getPublicLink, getSharedReport, putPublicLink } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import type { createPublicLinks } from './public-links.ts';
import type { SharedReports } from './shared-reports.ts';

const NOT_KEPT = {
  'Cache-Control': 'no-store',
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'no-referrer',
};

/** Everything below a path is kept by no cache and no search engine, and its address by no other site. */
export function keepNowhere(app: ServiceApp, path: string): void {
  app.hono.use(path, async (c, next) => {
    await next();
    for (const [name, value] of Object.entries(NOT_KEPT)) c.res.headers.set(name, value);
  });
}

export function routePublicLinks(app: ServiceApp, links: ReturnType<typeof createPublicLinks>): void {
  app.implement(getPublicLink, async (c) =>
    c.json(await links.read(c.var, c.req.valid('param').reportId), 200),
  );
  app.implement(putPublicLink, async (c) =>
    c.json(await links.turnOn(c.var, c.req.valid('param').reportId, c.req.valid('json')), 200),
  );
  app.implement(deletePublicLink, async (c) => {
    await links.turnOff(c.var, c.req.valid('param').reportId);
    return c.body(null, 204);
  });
}

export function routeSharedReports(app: ServiceApp, sharedReports: SharedReports): void {
  keepNowhere(app, '/v1/shared-reports/*');
  app.implement(getSharedReport, async (c) => {
    const { run } = await sharedReports.read(c.req.valid('param').token, c.var.address);
    return new Response(`{"report":${run?.report ?? 'null'}}`, {
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
    }) as never;
  });
}
