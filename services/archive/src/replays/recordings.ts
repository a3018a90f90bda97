import { buffer } from 'node:stream/consumers';
import { type Replay, type ReplayManifest, timestamp } from '@switchboard/contracts';
import {
  decodeCursor,
  encodeCursor,
  NotFound,
  type PageRequest,
  Rejection,
  toPage,
  Unavailable,
} from '@switchboard/http';
import { type ObjectStore, ObjectStoreError } from '@switchboard/object-store';
import type { PersonIds } from '@switchboard/person-ids';
import { z } from 'zod';
import type { ChunkName, SessionName } from './chunk.ts';
import { eventsOf, objectKey, sessionPrefix } from './encode.ts';
import type { ChunkPlace, Filters, PageStart, ReplayRow, ReplaysStore, Span } from './store.ts';

const RETRY_AFTER_SECONDS = 2;
/** A page of chunks ends after the chunk that brings it to this size. */
const MAX_PAGE_BYTES = 2_000_000;

interface RecordingsOptions {
  store: Pick<ReplaysStore, 'listReplays' | 'findReplay' | 'findPeople' | 'findSpans' | 'chunksInOrder'>;
  objects: ObjectStore;
  personIds: Pick<PersonIds, 'idsOf'>;
}

export interface Recordings {
  list(
    projectId: string,
    options: PageRequest & { distinctId?: string | undefined; filters: Filters },
  ): Promise<{ replays: Replay[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  manifest(session: SessionName): Promise<ReplayManifest>;
  /**
   * Streams the events as one JSON array, with one compressed chunk in memory at a time. Throws NotFound, and a
   * Rejection if an object is missing. A later failure throws from the generator.
   */
  events(session: SessionName): Promise<AsyncGenerator<Uint8Array>>;
  /** Streams a page of chunks as JSON, like `events`. Throws NotFound. */
  chunks(session: SessionName, page: PageRequest): Promise<AsyncGenerator<Uint8Array>>;
}

/** Provides lists, manifests and contents of archived recordings. */
export function createRecordings({ store, objects, personIds }: RecordingsOptions): Recordings {
  async function findOrThrow(session: SessionName): Promise<ReplayRow> {
    const row = await store.findReplay(session);
    if (row === undefined) throw new NotFound('Recording not found.');
    return row;
  }

  async function assertObjectsExist(session: SessionName): Promise<void> {
    const stored = new Set<string>();
    for await (const { key } of objects.list(sessionPrefix(session))) stored.add(key);
    for await (const chunk of store.chunksInOrder(session)) {
      if (stored.has(objectKey(chunk))) continue;
      const message = `The object of chunk ${chunk.seq} is missing in the object store: ${objectKey(chunk)}`;
      throw new Rejection(502, 'REPLAY_OBJECT_MISSING', message);
    }
  }

  return {
    async list(projectId, { distinctId, filters, cursor, limit }) {
      const after = cursor === undefined ? undefined : parseCursor(cursor);
      const distinctIds = distinctId === undefined ? undefined : await personIds.idsOf(projectId, distinctId);
      const options = { distinctIds, filters, after, limit: limit + 1 };
      const { rows, readUntil } = await store.listReplays(projectId, options);
      const { rows: page, nextCursor } = toPage(rows, limit, cursorOf);
      const sessionIds = page.map((row) => row.sessionId);
      const people = await store.findPeople(projectId, sessionIds);
      return {
        replays: page.map((row) => present(row, people.get(row.sessionId) ?? [])),
        nextCursor: nextCursor ?? (readUntil === undefined ? null : cursorOf(readUntil)),
      };
    },

    async manifest(session) {
      const row = await findOrThrow(session);
      const [people, seqs] = await Promise.all([
        store.findPeople(session.projectId, [session.sessionId]),
        store.findSpans(session),
      ]);
      return { ...present(row, people.get(session.sessionId) ?? []), seqs, gaps: gapsBetween(seqs) };
    },

    async events(session) {
      await findOrThrow(session);
      try {
        await assertObjectsExist(session);
      } catch (error) {
        if (!(error instanceof ObjectStoreError)) throw error;
        throw new Unavailable(
          'Object store unavailable. Retry after the time in Retry-After.',
          RETRY_AFTER_SECONDS,
        );
      }
      return joinEvents(objects, store.chunksInOrder(session));
    },

    async chunks(session, { cursor, limit }) {
      const after = cursor === undefined ? undefined : parseChunkCursor(cursor);
      await findOrThrow(session);
      const chunks = store.chunksInOrder(session, after);
      const next = await chunks.next();
      return chunksPage(next.done ? undefined : next.value, { objects, chunks, after, limit });
    },
  };
}

async function* joinEvents(
  objects: ObjectStore,
  chunks: AsyncIterable<ChunkName>,
): AsyncGenerator<Uint8Array> {
  let separator = '[';
  for await (const chunk of chunks) {
    const key = objectKey(chunk);
    const object = await objects.get(key);
    if (object === undefined) throw new Error(`object not found: ${key}`);
    for await (const piece of eventsOf(await buffer(object.body))) {
      if (separator !== '') yield Buffer.from(separator);
      separator = '';
      yield piece;
    }
    if (separator === '') separator = ',';
  }
  yield Buffer.from(separator === '[' ? '[]' : ']');
}

interface ChunksPageOptions {
  objects: Pick<ObjectStore, 'get'>;
  /** The chunks after the first one of the page. */
  chunks: AsyncGenerator<ChunkPlace>;
  after: Pick<ChunkPlace, 'seq'> | undefined;
  limit: number;
}

/** Yields a page of chunks that begins with this one, with one compressed chunk in memory at a time. */
async function* chunksPage(
  first: ChunkPlace | undefined,
  { objects, chunks, after, limit }: ChunksPageOptions,
): AsyncGenerator<Uint8Array> {
  let [chunk, before, number, bytes] = [first, after?.seq ?? -1, 0, 0];
  let last: ChunkPlace | undefined;
  yield Buffer.from('{"chunks":[');
  while (chunk !== undefined && number < limit && bytes < MAX_PAGE_BYTES) {
    const missing = Math.max(0, chunk.seq - before - 1);
    yield Buffer.from(`${number === 0 ? '' : ','}{"seq":${chunk.seq},"missing":${missing},"events":`);
    const object = await objects.get(objectKey(chunk));
    if (object === undefined) yield Buffer.from('null');
    else {
      yield Buffer.from('[');
      for await (const piece of eventsOf(await buffer(object.body))) {
        bytes += piece.length;
        yield piece;
      }
      yield Buffer.from(']');
    }
    yield Buffer.from('}');
    [last, before, number] = [chunk, chunk.seq, number + 1];
    const next = await chunks.next();
    chunk = next.done ? undefined : next.value;
  }
  await chunks.return(undefined);
  const nextCursor = chunk === undefined || last === undefined ? null : chunkCursorOf(last);
  yield Buffer.from(`],"nextCursor":${JSON.stringify(nextCursor)}}`);
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
    pages: row.pages,
    eventNames: row.eventNames,
    errors: row.errors,
  };
}

/** Returns the missing seqs before and between spans. */
export function gapsBetween(spans: readonly Span[]): Span[] {
  return spans.flatMap(({ from }, index) => {
    const begin = (spans[index - 1]?.to ?? -1) + 1;
    return begin < from ? [{ from: begin, to: from - 1 }] : [];
  });
}

const cursorSchema = z.tuple([timestamp, z.string().min(1).max(400)]);

function cursorOf({ receivedAt, sessionId }: PageStart): string {
  return encodeCursor([receivedAt.toISOString(), sessionId]);
}

function parseCursor(cursor: string): PageStart {
  const [receivedAt, sessionId] = decodeCursor(cursor, cursorSchema);
  return { receivedAt: new Date(receivedAt), sessionId };
}

const chunkCursor = z.tuple([z.int().min(0), timestamp, z.string().regex(/^[0-9a-f]{32}$/)]);

const chunkCursorOf = ({ seq, firstAt, hash }: ChunkPlace) =>
  encodeCursor([seq, firstAt.toISOString(), hash]);

function parseChunkCursor(cursor: string) {
  const [seq, firstAt, hash] = decodeCursor(cursor, chunkCursor);
  return { seq, firstAt: new Date(firstAt), hash };
}
