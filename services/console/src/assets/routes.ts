import type { Context, Hono } from 'hono';
import type { Asset, Assets } from './assets.ts';
import { type Hosts, pageHeaders } from './policy.ts';

/** Mounts the application: hashed files that caches keep, and the index at every other path, never kept. */
export function assetsRoutes(app: Hono, { assets, hosts }: { assets: Assets; hosts: Hosts }): void {
  const headers = pageHeaders(hosts);
  app.get('/assets/:name', (c) => {
    const file = assets.files.get(c.req.param('name'));
    // A page of an earlier release asks for its old files, and loads again.
    if (file === undefined) return c.text('Not found', 404, { 'Cache-Control': 'no-store' });
    return send(c, file, { 'Cache-Control': 'public, max-age=31536000, immutable' });
  });
  app.get('*', (c) => send(c, assets.index, { ...headers, 'Cache-Control': 'no-store' }));
}

function send(c: Context, { type, bytes, gzipped, etag }: Asset, headers: Record<string, string>): Response {
  const isGzip = gzipped !== undefined && /\bgzip\b/.test(c.req.header('accept-encoding') ?? '');
  return c.body(isGzip ? gzipped : bytes, 200, {
    'Content-Type': type,
    'X-Content-Type-Options': 'nosniff',
    ETag: etag,
    ...headers,
    ...(gzipped === undefined ? {} : { Vary: 'Accept-Encoding' }),
    ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}),
  });
}
