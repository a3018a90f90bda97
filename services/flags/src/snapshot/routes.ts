import { getFlagSnapshot } from '@switchboard/contracts';
import type { ServiceApp } from '@switchboard/service-kit';
import { chooseEncoding } from './encodings.ts';
import type { Snapshot, Snapshots } from './snapshot.ts';

const always = {
  'Cache-Control': 'public, max-age=30, stale-while-revalidate=300',
  Vary: 'Accept-Encoding',
};

export function snapshotRoutes(app: ServiceApp, snapshots: Snapshots): void {
  app.implement(getFlagSnapshot, async (c) => {
    const snapshot = await snapshots.get(c.get('project').id);
    const encoding = chooseEncoding(c.req.header('accept-encoding'));
    const { body, etag } = snapshot.representations[encoding];
    if (holds(c.req.header('if-none-match'), snapshot)) {
      return new Response(null, { status: 304, headers: { ...always, ETag: etag } });
    }
    const headers = { ...always, ETag: etag, 'Content-Type': 'application/json; charset=utf-8' };
    return new Response(body, {
      headers: encoding === 'identity' ? headers : { ...headers, 'Content-Encoding': encoding },
    });
  });
}

/** Whether the client has the snapshot, in any encoding (If-None-Match, compared weakly: RFC 9110, 13.1.2). */
function holds(ifNoneMatch: string | undefined, snapshot: Snapshot): boolean {
  if (ifNoneMatch === undefined) return false;
  if (snapshot.hasTag(ifNoneMatch)) return true;
  return ifNoneMatch
    .split(',')
    .map((tag) => tag.trim())
    .some((tag) => tag === '*' || snapshot.hasTag(tag.replace(/^W\//, '')));
}
