/** Work that would block the event loop, on threads of its own. A folder apart, because a thread loads only this. */
export { serveCalls } from './calls.ts';
export { createThreads, ThreadEnded, type Threads } from './threads.ts';
