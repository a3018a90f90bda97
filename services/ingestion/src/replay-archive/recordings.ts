import { buffer } from 'node:stream/consumers';
import type { Replay, ReplayManifest } from '@switchboard/contracts';
import type { Database } from '@switchboard/database';
import { type ObjectStore, ObjectStoreError } from '@switchboard/object-store';
import { BadRequest, NotFound, Rejection, Unavailable } from '@switchboard/service-kit';
import { z } from 'zod';
import type { ChunkName } from './chunk.ts';
import { eventsOf, objectKey, sessionPrefix } from './object.ts';
import {
  chunksInOrder,
  findReplay,
  type Place,
  pageOfReplays,
  peopleOf,
  type ReplayRow,
  type Span,
  spansOf,
} from './reading-store.ts';
import type { SessionName } from './store.ts';

const PAGE = 50;

export type Recordings = ReturnType<typeof createRecordings>;

/** What the archive has: lists, manifests, and the recordings themselves. */
export function createRecordings({
  database,
  objects,
}: {
  database: Pick<Database, 'drizzle'>;
  objects: ObjectStore | undefined;
}) {
  const db = database.drizzle;

  async function found(session: SessionName): Promise<ReplayRow> {
    const row = await findReplay(db, session);
    if (row === undefined) throw new NotFound('There is no recording of this session in this project.');
    return row;
  }

  return {
    async list(
      projectId: string,
      { distinctId, cursor }: { distinctId?: string | undefined; cursor?: string | undefined },
    ): Promise<{ replays: Replay[]; nextCursor: string | null }> {
      const after = cursor === undefined ? undefined : parseCursor(cursor);
      const rows = await pageOfReplays(db, projectId, { distinctId, after, limit: PAGE + 1 });
      const page = rows.slice(0, PAGE);
      const people = await peopleOf(
        db,
        projectId,
        page.map((row) => row.sessionId),
      );
      const last = page.at(-1);
      return {
        replays: page.map((row) => present(row, people.get(row.sessionId) ?? [])),
        nextCursor: rows.length > PAGE && last !== undefined ? cursorOf(last) : null,
      };
    },

    /** Throws NotFound. */
    async manifest(session: SessionName): Promise<ReplayManifest> {
      const row = await found(session);
      const [people, seqs] = await Promise.all([
        peopleOf(db, session.projectId, [session.sessionId]),
        spansOf(db, session),
      ]);
      return { ...present(row, people.get(session.sessionId) ?? []), seqs, gaps: gapsBetween(seqs) };
    },

    /**
     * The events as one JSON array, piece by piece as they are taken; one chunk is in memory at a time, compressed.
     * Throws NotFound, and a Rejection of its own when an object is missing; what fails later ends the stream early.
     */
    async events(session: SessionName): Promise<AsyncGenerator<Uint8Array>> {
      await found(session);
      if (objects === undefined) throw new Unavailable('No object store is configured here.');
      try {
        await assertAllThere(objects, session);
      } catch (error) {
        if (!(error instanceof ObjectStoreError)) throw error;
        throw new Unavailable('The object store is away; send this again after Retry-After.', 2);
      }
      return recording(objects, chunksInOrder(db, session));
    },
  };

  async function assertAllThere(store: ObjectStore, session: SessionName): Promise<void> {
    const stored = new Set<string>();
    for await (const { key } of store.list(sessionPrefix(session))) stored.add(key);
    for await (const chunk of chunksInOrder(db, session)) {
      if (stored.has(objectKey(chunk))) continue;
      const message = `The object of chunk ${chunk.seq} is missing in the object store: ${objectKey(chunk)}.`;
      throw new Rejection(502, 'REPLAY_OBJECT_MISSING', message);
    }
  }
}

async function* recording(
  objects: ObjectStore,
  chunks: AsyncIterable<ChunkName>,
): AsyncGenerator<Uint8Array> {
  let before = '[';
  for await (const chunk of chunks) {
    const key = objectKey(chunk);
    const object = await objects.get(key);
    if (object === undefined) throw new Error(`${key} is missing in the object store`);
    for await (const piece of eventsOf(await buffer(object.body))) {
      if (before !== '') yield Buffer.from(before);
      before = '';
      yield piece;
    }
    if (before === '') before = ',';
  }
  yield Buffer.from(before === '[' ? '[]' : ']');
}

function present(row: ReplayRow, distinctIds: string[]): Replay {
  const missing = row.highestSeq + 1 - row.seqs;
  return {
    sessionId: row.sessionId,
    distinctIds,
    receivedAt: row.receivedAt.toISOString(),
    firstAt: (row.firstAt ?? row.receivedAt).toISOString(),
    lastAt: (row.lastAt ?? row.receivedAt).toISOString(),
    chunks: row.chunks,
    events: row.events,
    bytes: row.bytes,
    storedBytes: row.storedBytes,
    masked: row.masked,
    missing,
    duplicates: row.duplicates,
    conflicts: row.chunks - row.seqs,
    complete: missing === 0,
  };
}

/** What is missing before and between spans. */
export function gapsBetween(spans: readonly Span[]): Span[] {
  return spans.flatMap(({ from }, index) => {
    const begin = (spans[index - 1]?.to ?? -1) + 1;
    return begin < from ? [{ from: begin, to: from - 1 }] : [];
  });
}

const cursorSchema = z.tuple([z.iso.datetime({ precision: 3 }), z.string().min(1).max(400)]);

function cursorOf({ receivedAt, sessionId }: Place): string {
  return Buffer.from(JSON.stringify([receivedAt.toISOString(), sessionId])).toString('base64url');
}

function parseCursor(cursor: string): Place {
  try {
    const [receivedAt, sessionId] = cursorSchema.parse(
      JSON.parse(Buffer.from(cursor, 'base64url').toString()),
    );
    if (sessionId.includes('\0')) throw new Error('no session id holds a NUL');
    return { receivedAt: new Date(receivedAt), sessionId };
  } catch {
    throw new BadRequest('cursor: not the nextCursor of a page of replays');
  }
}
