import type { ObjectStore } from '@switchboard/object-store';
import type { EventCalls } from '../events/calls.ts';
import type { FileCalls } from '../files/calls.ts';
import type { ImportCalls } from '../imports/calls.ts';
import { createThreads, type Threads } from '../threads/threads.ts';

/** The calls that `thread.ts` handles. */
export interface ThreadCalls extends EventCalls, FileCalls, ImportCalls {}

export type ArchiveThreads = Threads<ThreadCalls>;

/** Creates threads that decode, encode, merge and scan events, and encode imported ones. */
export function openThreads(options: { size: number; objects: Pick<ObjectStore, 'get'> }): ArchiveThreads {
  return createThreads({ ...options, module: new URL('./thread.ts', import.meta.url) });
}
