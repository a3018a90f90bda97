import { parentPort } from 'node:worker_threads';
import { buffersMovedWith } from '@switchboard/engine';
import { createBirpc } from 'birpc';

interface Port {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void;
  on(event: 'message', receive: (message: unknown) => void): unknown;
}

/**
 * Connects both sides of a thread. Arguments and results are copied, except for the buffers of those that are `moved`.
 * Errors lose their class on the way.
 */
export function connect<Remote extends object, Local extends object>(port: Port, local: Local) {
  return createBirpc<Remote, Local>(local, {
    post: (message: { a?: unknown[]; r?: unknown }) =>
      port.postMessage(message, buffersMovedWith([message.r, ...(message.a ?? [])])),
    on: (receive) => void port.on('message', receive),
    // The use of a thread has a deadline.
    timeout: -1,
  });
}

/** Handles the calls to this thread, and returns those to its owner. For the module that `createThreads` runs. */
export function serveCalls<Calls extends object, Owner extends object = object>(calls: Calls) {
  if (parentPort === null) throw new Error('this module runs in a worker thread');
  return connect<Owner, Calls>(parentPort, calls);
}
