import { setImmediate as turn } from 'node:timers/promises';
import type { Directory } from '@switchboard/directory';
import { createSlots } from '@switchboard/resilience';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../callers/caller.ts';
import { namesOf } from '../directory/members.ts';
import { authorsOf, threadFields, type WrittenComments, writeComments } from './present.ts';
import type { CommentsStore, ThreadSummary } from './store.ts';

/** Of threads in memory. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** Of a thread beside its JSON: its key, its version and the names. */
const THREAD_BYTES = 1_000;
/** Of a person in a thread, with the list of their places; and of a place. */
const PERSON_BYTES = 300;
const PLACE_BYTES = 8;
/** Threads whose versions are read at once. */
const PAGE_THREADS = 500;
/** Threads of one query for their comments. */
const READ_THREADS = 50;
/** Queries for comments at the same time; projects take turns. */
const MAX_CONCURRENT_READS = 2;
/** A list beyond this is sent as it is read. */
const PIECE_BYTES = 4_000_000;
/** What is written, or put together of threads in memory, in one turn of the event loop: writing takes about 2 ms. */
const BYTES_PER_TURN = 200_000;

interface ListOptions {
  store: Pick<CommentsStore, 'listThreads' | 'readContents'>;
  directory: Pick<Directory, 'members'>;
}

interface WrittenThread extends WrittenComments {
  version: string;
  /** By author, undefined for one who is no member; the names it was written with. */
  names: ReadonlyMap<string, string | undefined>;
}

/** Lists the threads of a report, as the JSON of the response in pieces of about `PIECE_BYTES`. */
export type ListThreads = (caller: Caller, reportId: string) => AsyncGenerator<Uint8Array<ArrayBuffer>, void>;

/**
 * Each list asks the database for the version of every thread, so that a change on any instance is in the next list.
 * Only threads that nobody has seen in their version are read and written.
 */
export function createListThreads({ store, directory }: ListOptions): ListThreads {
  const encoder = new TextEncoder();
  const inSlot = createSlots(MAX_CONCURRENT_READS);
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

  /** Those of a page that somebody has seen as they are. */
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

  /** Each with its comments, some threads at a time; without those removed since their version was read. */
  async function* read(caller: Caller, page: readonly ThreadSummary[]) {
    const known = await knownOf(caller, page);
    let bytes = 0;
    for (const some of slices(page, READ_THREADS * MAX_CONCURRENT_READS)) {
      const unread = some.map(({ thread }) => thread.id).filter((id) => !known.has(id));
      const written = await Promise.all(
        slices(unread, READ_THREADS).map((ids) => inSlot(caller.project.id, () => write(caller, ids))),
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

/** A part of the response, with `true` in the places that are the caller's own. */
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

/** As long as `false`. */
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
