import { getFlagSnapshot } from '@switchboard/contracts';
import { headerOf, type ServiceApp } from '@switchboard/service-kit';
import type { Context } from 'hono';
import { chooseEncoding } from './encodings.ts';
import type { Snapshot, Snapshots } from './snapshot.ts';

interface SnapshotDeps {
  snapshots: Snapshots;
}

const CACHE_CONTROL = 'public, max-age=30, stale-while-revalidate=300';
const VARY = 'Accept-Encoding';

export function snapshotRoutes(app: ServiceApp, { snapshots }: SnapshotDeps): void {
  app.implement(getFlagSnapshot, (c): Response | Promise<Response> => {
    const snapshot = snapshots.get(c.get('project').id);
    return snapshot instanceof Promise ? snapshot.then((ready) => respond(c, ready)) : respond(c, snapshot);
  });
}

function respond(c: Context, snapshot: Snapshot): Response {
  const encoding = chooseEncoding(headerOf(c, 'accept-encoding'));
  const { body, etag } = snapshot.representations[encoding];
  // Written out: each property after a spread is a call of V8's runtime.
  if (isFresh(headerOf(c, 'if-none-match'), snapshot)) {
    return new Response(null, {
      status: 304,
      headers: { 'Cache-Control': CACHE_CONTROL, Vary: VARY, ETag: etag },
    });
  }
  const headers: Record<string, string> = {
    'Cache-Control': CACHE_CONTROL,
    Vary: VARY,
    ETag: etag,
    'Content-Type': 'application/json; charset=utf-8',
  };
  if (encoding !== 'identity') headers['Content-Encoding'] = encoding;
  return new Response(body, { headers });
}

/** Whether the client has the snapshot in any encoding (If-None-Match, weak comparison: RFC 9110, 13.1.2). */
function isFresh(ifNoneMatch: string | undefined, snapshot: Snapshot): boolean {
  if (ifNoneMatch === undefined) return false;
  if (snapshot.hasTag(ifNoneMatch)) return true;
  return ifNoneMatch
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || snapshot.hasTag(tag.replace(/^W\//, '')));
}
