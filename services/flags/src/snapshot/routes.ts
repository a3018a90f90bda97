import { getFlagSnapshot } from '@switchboard/contracts';
import { chooseEncoding, headerOf, isFresh, type ServiceApp } from '@switchboard/http';
import type { Context } from 'hono';
import type { Snapshot, Snapshots } from './snapshot.ts';

interface SnapshotDeps {
  snapshots: Snapshots;
}

export function snapshotRoutes(app: ServiceApp, { snapshots }: SnapshotDeps): void {
  app.implement(getFlagSnapshot, (c): Response | Promise<Response> => {
    const snapshot = snapshots.get(c.get('project').id);
    return snapshot instanceof Promise ? snapshot.then((ready) => respond(c, ready)) : respond(c, snapshot);
  });
}

function respond(c: Context, snapshot: Snapshot): Response {
  const encoding = chooseEncoding(headerOf(c, 'accept-encoding'));
  const { body, etag } = snapshot.representations[encoding];
  // Lists each property, because V8 calls its runtime for every property after a spread.
  const headers: Record<string, string> = {
    'Cache-Control': 'public, max-age=30, stale-while-revalidate=300',
    Vary: 'Accept-Encoding',
    ETag: etag,
  };
  if (isFresh(c, ...snapshot.etags)) return new Response(null, { status: 304, headers });
  headers['Content-Type'] = 'application/json; charset=utf-8';
  if (encoding !== 'identity') headers['Content-Encoding'] = encoding;
  return new Response(body, { headers });
}
