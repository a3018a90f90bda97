import { setImmediate as turn } from 'node:timers/promises';
import type { Directory } from '@switchboard/directory';
import { createSlots } from '@switchboard/resilience';
import { LRUCache } from 'lru-cache';
import type { Caller } from '../callers/caller.ts';
import { namesOf } from '../directory/members.ts';
import { authorsOf, threadFields, type WrittenComments, writeComments } from './present.ts';
import type { CommentsStore } from './store.ts';

/** Of threads in memory. */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
/** Of a thread beside its JSON: its key, its version and the names. */
const THREAD_BYTES = 1_000;
/** Of a person in a thread, with the list of their places; and of a place. */
const PERSON_BYTES = 300;
const PLACE_BYTES = 8;
/** Threads of one query. */
const PAGE_THREADS = 50;
/** Pages that are read at the same time; projects take turns. */
const MAX_CONCURRENT_PAGES = 2;
/** What is written in one turn of the event loop, which takes about 2 ms. */
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

/** Lists the threads of a report. The result is the JSON of the response: there may be megabytes of it. */
export type ListThreads = (caller: Caller, reportId: string) => Promise<Uint8Array<ArrayBuffer>>;

/**
 * Each list asks the database for the version of every thread, so that a change on any instance is in the next list.
 * Only threads that nobody has seen in their version are read and written.
 */
export function createListThreads({ store, directory }: ListOptions): ListThreads {
  const encoder = new TextEncoder();
  const inSlot = createSlots(MAX_CONCURRENT_PAGES);
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

  return async (caller, reportId) => {
    const summaries = await store.listThreads(caller.project.id, reportId);
    const written = new Map<string, WrittenThread>();
    for (const { thread, version } of summaries) {
      const known = cache.get(thread.id);
      if (known?.version === version) written.set(thread.id, known);
    }
    const names = await currentNames(caller, written.values());
    for (const [threadId, thread] of written) if (!isNamedAs(thread, names)) written.delete(threadId);

    const unread = summaries.map(({ thread }) => thread.id).filter((id) => !written.has(id));
    await Promise.all(
      pagesOf(unread).map((page) =>
        inSlot(caller.project.id, async () => {
          for (const [threadId, thread] of await write(caller, page)) written.set(threadId, thread);
        }),
      ),
    );

    const pieces: Uint8Array[] = [];
    const own: number[] = [];
    let length = 0;
    let separator = '{"threads":[';
    for (const { thread } of summaries) {
      const comments = written.get(thread.id);
      if (comments === undefined) continue; // Removed since its version was read.
      const fields = JSON.stringify(threadFields(thread)).slice(0, -1);
      const head = encoder.encode(`${separator}${fields},"comments":`);
      pieces.push(head, comments.json);
      length += head.length;
      for (const place of comments.own.get(caller.person.sub) ?? NONE) own.push(length + place);
      length += comments.json.length;
      separator = '},';
    }
    pieces.push(encoder.encode(pieces.length === 0 ? `${separator}]}` : '}]}'));
    const body = Buffer.concat(pieces);
    for (const place of own) body.set(TRUE, place);
    return body;
  };
}

/** As long as `false`. */
const TRUE = Buffer.from('true ');
const NONE: readonly number[] = [];

function bytesOf({ json, own }: WrittenThread): number {
  let bytes = THREAD_BYTES + json.length + own.size * PERSON_BYTES;
  for (const places of own.values()) bytes += places.length * PLACE_BYTES;
  return bytes;
}

function isNamedAs(thread: WrittenThread, names: ReadonlyMap<string, string>): boolean {
  for (const [sub, name] of thread.names) if (names.get(sub) !== name) return false;
  return true;
}

function pagesOf(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / PAGE_THREADS) }, (_, page) =>
    ids.slice(page * PAGE_THREADS, (page + 1) * PAGE_THREADS),
  );
}
