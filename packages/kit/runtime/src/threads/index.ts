/** Runs work that would block the event loop on worker threads. A separate entry, because a thread loads only this. */
export { serveCalls } from './calls.ts';
export { createThreads, ThreadEnded, type Threads } from './threads.ts';
