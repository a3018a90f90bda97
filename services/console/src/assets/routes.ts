import type { Context, Hono } from 'hono';
import { type Asset, type Assets, PLAYER, PREVIEW, PUSH_WORKER } from './assets.ts';
import { type Hosts, pageHeaders, playerHeaders, previewHeaders, WORKER_HEADERS } from './policy.ts';

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
  // 'self' means nothing without an origin, so the policies of sandboxed documents name their scripts.
  const nameOf = (script: string) => [...assets.files.keys()].find((name) => name.startsWith(script)) ?? '';
  const addressOf = (script: string) => new URL(`/assets/${nameOf(script)}`, consoleUrl).href;
  const player = addressOf(PLAYER);
  app.get('/player', (c) =>
    c.html(scriptPage('Recorded page', player), 200, {
      ...playerHeaders(player, { images: c.req.query('images') === 'shown' }),
      ...NEVER_KEPT,
    }),
  );
  const preview = addressOf(PREVIEW);
  app.get('/messenger-preview', (c) =>
    c.html(scriptPage('Preview of the messenger', preview), 200, {
      ...previewHeaders(preview, hosts.api),
      ...NEVER_KEPT,
    }),
  );
  // Browsers ask for it by this address for as long as they have a subscription.
  const worker = assets.files.get(nameOf(PUSH_WORKER));
  if (worker !== undefined)
    app.get('/push-worker.js', (c) => send(c, worker, { ...WORKER_HEADERS, 'Cache-Control': 'no-cache' }));
  app.get('*', (c) => send(c, assets.index, { ...headers, 'Cache-Control': 'no-store' }));
}

const NEVER_KEPT = { 'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store' };

const scriptPage = (title: string, script: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title></head><body><script src="${script}"></script></body></html>`;

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
