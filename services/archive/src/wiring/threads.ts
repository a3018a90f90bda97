import type { ObjectStore } from '@switchboard/object-store';
import type { EventCalls } from '../events/calls.ts';
import type { FileCalls } from '../files/calls.ts';
import { createThreads, type Threads } from '../threads/threads.ts';

/** The calls that `thread.ts` handles. */
export interface ThreadCalls extends EventCalls, FileCalls {}

export type ArchiveThreads = Threads<ThreadCalls>;

/** Creates threads that decode, encode, merge and scan events. */
export function openThreads(options: { size: number; objects: Pick<ObjectStore, 'get'> }): ArchiveThreads {
  return createThreads({ ...options, module: new URL('./thread.ts', import.meta.url) });
}
