import { setImmediate as turn } from 'node:timers/promises';
import type { Directory } from '@switchboard/directory';
import { createFairQueue } from '@switchboard/fairness';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../callers/caller.ts';
import { namesOf } from '../directory/members.ts';
import { authorsOf, threadFields, type WrittenComments, writeComments } from './present.ts';
import type { CommentsStore, ThreadSummary } from './store.ts';

/** The maximum size of cached threads. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** The size of a cached thread without its JSON: its key, its version and the names. */
const THREAD_BYTES = 1_000;
/** The size of a person in a cached thread with the list of their places, and the size of one place. */
const PERSON_BYTES = 300;
const PLACE_BYTES = 8;
/** The number of threads per query for versions. */
const PAGE_THREADS = 500;
/** The number of threads per query for comments. */
const READ_THREADS = 50;
/** The maximum number of concurrent queries for comments. Projects take turns. */
const MAX_CONCURRENT_READS = 2;
/** Lists larger than this are streamed. */
const PIECE_BYTES = 4_000_000;
/**
 * The number of bytes serialised, or assembled from cached threads, per turn of the event loop. Serialising
 * takes about 2 ms.
 */
const BYTES_PER_TURN = 200_000;

interface ListOptions {
  store: Pick<CommentsStore, 'listThreads' | 'readContents'>;
  directory: Pick<Directory, 'members'>;
}

interface WrittenThread extends WrittenComments {
  version: string;
  /** The names in the JSON, by author. Undefined for an author who is not a member. */
  names: ReadonlyMap<string, string | undefined>;
}

/** Lists the threads of a report. Yields the JSON of the response in pieces of about `PIECE_BYTES`. */
export type ListThreads = (caller: Caller, reportId: string) => AsyncGenerator<Uint8Array<ArrayBuffer>, void>;

/**
 * Each list reads the version of every thread from the database, so that it includes changes made on any
 * instance. Only threads that are not cached in their current version are read and serialised.
 */
export function createListThreads({ store, directory }: ListOptions): ListThreads {
  const encoder = new TextEncoder();
  const queued = createFairQueue(MAX_CONCURRENT_READS);
  const cache = new LRUCache<string, WrittenThread>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: bytesOf,
  });

  async function write({ project }: Caller, threadIds: readonly string[]) {
    const contents = await store.readContents(threadIds);
    const authors = authorsOf(Array.from(contents.values(), ({ comments }) => comments).flat());
    const names = await namesOf(directory, project.companyId, authors);
    const written = new Map<string, WrittenThread>();
    let bytes = 0;
    for (const [threadId, content] of contents) {
      const comments = writeComments(names, threadId, content);
      const namesThere = Array.from(authorsOf(content.comments), (sub) => [sub, names.get(sub)] as const);
      const thread = { ...comments, version: content.version, names: new Map(namesThere) };
      written.set(threadId, thread);
      cache.set(threadId, thread);
      bytes += comments.json.length;
      if (bytes < BYTES_PER_TURN) continue;
      bytes = 0;
      await turn();
    }
    return written;
  }

  async function currentNames({ project }: Caller, threads: Iterable<WrittenThread>) {
    const authors = new Set<string>();
    for (const { names } of threads) for (const sub of names.keys()) authors.add(sub);
    return namesOf(directory, project.companyId, authors);
  }

  /** Returns the threads of a page that are cached in their current version with current names. */
  async function knownOf(caller: Caller, page: readonly ThreadSummary[]) {
    const known = new Map<string, WrittenThread>();
    for (const { thread, version } of page) {
      const found = cache.get(thread.id);
      if (found?.version === version) known.set(thread.id, found);
    }
    const names = await currentNames(caller, known.values());
    for (const [threadId, thread] of known) if (!isNamedAs(thread, names)) known.delete(threadId);
    return known;
  }

  /**
   * Yields each thread with its comments, reading a few threads at a time. Skips threads removed since their
   * version was read.
   */
  async function* read(caller: Caller, page: readonly ThreadSummary[]) {
    const known = await knownOf(caller, page);
    let bytes = 0;
    for (const some of slices(page, READ_THREADS * MAX_CONCURRENT_READS)) {
      const unread = some.map(({ thread }) => thread.id).filter((id) => !known.has(id));
      const written = await Promise.all(
        slices(unread, READ_THREADS).map((ids) => queued(caller.project.id, () => write(caller, ids))),
      );
      for (const { thread } of some) {
        const comments = known.get(thread.id) ?? written.find((one) => one.has(thread.id))?.get(thread.id);
        if (comments === undefined) continue;
        yield { thread, comments };
        bytes += comments.json.length;
        if (bytes < BYTES_PER_TURN) continue;
        bytes = 0;
        await turn();
      }
    }
  }

  return async function* list(caller, reportId) {
    let piece = createPiece();
    let separator = '{"threads":[';
    let page: readonly ThreadSummary[] | undefined;
    do {
      page = await store.listThreads(caller.project.id, reportId, PAGE_THREADS, page?.at(-1)?.thread);
      for await (const { thread, comments } of read(caller, page)) {
        const fields = JSON.stringify(threadFields(thread)).slice(0, -1);
        piece.add(encoder.encode(`${separator}${fields},"comments":`));
        piece.add(comments.json, comments.own.get(caller.person.sub));
        separator = '},';
        if (piece.length() < PIECE_BYTES) continue;
        yield piece.bytes();
        piece = createPiece();
      }
    } while (page.length === PAGE_THREADS);
    piece.add(encoder.encode(separator === '},' ? '}]}' : `${separator}]}`));
    yield piece.bytes();
  };
}

/** Creates a piece of the response, with `true` at the places that belong to the caller. */
function createPiece() {
  const parts: Uint8Array[] = [];
  const own: number[] = [];
  let length = 0;
  return {
    length: () => length,
    add(part: Uint8Array, places: readonly number[] = []) {
      for (const place of places) own.push(length + place);
      parts.push(part);
      length += part.length;
    },
    bytes() {
      const bytes = Buffer.concat(parts);
      for (const place of own) bytes.set(TRUE, place);
      return bytes;
    },
  };
}

/** Padded to the length of `false`. */
const TRUE = Buffer.from('true ');

function bytesOf({ json, own }: WrittenThread): number {
  let bytes = THREAD_BYTES + json.length + own.size * PERSON_BYTES;
  for (const places of own.values()) bytes += places.length * PLACE_BYTES;
  return bytes;
}

function isNamedAs(thread: WrittenThread, names: ReadonlyMap<string, string>): boolean {
  for (const [sub, name] of thread.names) if (names.get(sub) !== name) return false;
  return true;
}

function slices<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  );
}
