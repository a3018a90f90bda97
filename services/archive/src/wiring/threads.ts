import { buffer } from 'node:stream/consumers';
import type { ByteRange, ObjectStore } from '@switchboard/object-store';
import { createThreads, type Threads } from '@switchboard/runtime/threads';
import type { EventCalls } from '../events/calls.ts';
import type { FileCalls } from '../files/calls.ts';
import type { ImportCalls } from '../imports/calls.ts';

/** The calls that `thread.ts` handles. */
export interface ThreadCalls extends EventCalls, FileCalls, ImportCalls {}

/** The calls from a thread to its service. */
export interface OwnerCalls {
  /** Returns the bytes of an object; undefined if it does not exist. */
  get(key: string, range: ByteRange | undefined): Promise<Uint8Array | undefined>;
}

export type ArchiveThreads = Threads<ThreadCalls>;

interface ThreadsOptions {
  /** The maximum number of threads. */
  size: number;
  /** The object store that files are read from. */
  objects: Pick<ObjectStore, 'get'>;
}

/** Longer than any call. */
const LONGEST_MS = 15 * 60 * 1000;

/**
 * Creates threads that decode, encode, merge and scan events, and encode imported ones. Callers bound the queue: each
 * partition has one call, and so have merging and erasing.
 */
export function openThreads({ size, objects }: ThreadsOptions): ArchiveThreads {
  return createThreads<ThreadCalls, OwnerCalls>({
    module: new URL('./thread.ts', import.meta.url),
    name: 'archive',
    size,
    longestMs: LONGEST_MS,
    owner: {
      async get(key, range) {
        const object = await objects.get(key, range);
        return object && (await buffer(object.body));
      },
    },
  });
}
