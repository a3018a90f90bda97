import type { Context, Hono } from 'hono';
import { type Asset, type Assets, PLAYER } from './assets.ts';
import { type Hosts, pageHeaders, playerHeaders } from './policy.ts';

interface AssetsRoutesOptions {
  assets: Assets;
  hosts: Hosts;
  consoleUrl: string;
}

/** Mounts the application: hashed files that caches keep, and the index at every other path, never kept. */
export function assetsRoutes(app: Hono, { assets, hosts, consoleUrl }: AssetsRoutesOptions): void {
  const headers = pageHeaders(hosts);
  app.get('/assets/:name', (c) => {
    const file = assets.files.get(c.req.param('name'));
    // A page of an earlier release asks for its old files, and loads again.
    if (file === undefined) return c.text('Not found', 404, { 'Cache-Control': 'no-store' });
    return send(c, file, { 'Cache-Control': 'public, max-age=31536000, immutable' });
  });
  const script = [...assets.files.keys()].find((name) => name.startsWith(PLAYER));
  // 'self' means nothing without an origin, so the policy names the script.
  const address = new URL(`/assets/${script}`, consoleUrl).href;
  app.get('/player', (c) =>
    c.html(playerPage(address), 200, {
      ...playerHeaders(address, { images: c.req.query('images') === 'shown' }),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
    }),
  );
  app.get('*', (c) => send(c, assets.index, { ...headers, 'Cache-Control': 'no-store' }));
}

const playerPage = (script: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Recorded page</title></head><body><script src="${script}"></script></body></html>`;

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
