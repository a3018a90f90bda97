import { buffer } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { ByteRange, ObjectStore } from '@switchboard/object-store';
import { createBirpc, type ProxifiedRemoteFunctions } from 'birpc';
import pLimit from 'p-limit';
import { transferOf } from './buffers.ts';

/** The calls from a thread to its service. */
export interface OwnerCalls {
  /** Returns the bytes of an object; undefined if it does not exist. */
  get(key: string, range: ByteRange | undefined): Promise<Uint8Array | undefined>;
}

/** A thread that handles one call at a time. */
export type Thread<Calls extends object> = ProxifiedRemoteFunctions<Calls>;

/**
 * Threads for work that would block the event loop. Both sides of a call receive copies, except of buffers that are
 * `moved`.
 */
export interface Threads<Calls extends object> {
  /**
   * Uses a thread once one is free. Rejects if the thread ends first. Ends the thread if the signal aborts, and the
   * next use starts another. Callers bound the queue: each partition has one call, and so have merging and erasing.
   */
  use<T>(work: (thread: Thread<Calls>) => Promise<T>, signal?: AbortSignal): Promise<T>;
  /** Ends all threads. Calls in progress reject. */
  stop(): Promise<void>;
}

interface ThreadsOptions {
  /** The module that a thread runs. It handles the calls. */
  module: URL;
  /** The maximum number of threads. Each starts on first use. */
  size: number;
  /** The object store that files are read from. */
  objects: Pick<ObjectStore, 'get'>;
}

/** Longer than any call: a thread that has not answered by then is ended. */
const LONGEST_CALL_MS = 15 * 60 * 1000;
/** The signal of a use limits its calls, and the object store limits the calls of the thread. */
const NO_TIMEOUT = -1;

interface Started<Calls extends object> {
  calls: Thread<Calls>;
  hasEnded(): boolean;
  end(reason: unknown): Promise<unknown>;
}

/** Creates threads that handle these calls. */
export function createThreads<Calls extends object>({ size, ...options }: ThreadsOptions): Threads<Calls> {
  const limit = pLimit(size);
  const idle: Started<Calls>[] = [];
  const stopping = new AbortController();

  async function use<T>(work: (thread: Thread<Calls>) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const ending = AbortSignal.any([
      stopping.signal,
      AbortSignal.timeout(LONGEST_CALL_MS),
      ...(signal === undefined ? [] : [signal]),
    ]);
    ending.throwIfAborted();
    const thread = idle.pop() ?? startThread<Calls>(options);
    const end = () => void thread.end(ending.reason);
    ending.addEventListener('abort', end);
    try {
      return await work(thread.calls);
    } finally {
      ending.removeEventListener('abort', end);
      if (stopping.signal.aborted) await thread.end(stopping.signal.reason);
      else if (!thread.hasEnded()) idle.push(thread);
    }
  }

  return {
    use: (work, signal) => limit(() => use(work, signal)),
    async stop() {
      const reason = new Error('stopped');
      stopping.abort(reason);
      await Promise.all(idle.splice(0).map((thread) => thread.end(reason)));
    },
  };
}

function startThread<Calls extends object>({
  module,
  objects,
}: Omit<ThreadsOptions, 'size'>): Started<Calls> {
  const worker = new Worker(module, { name: 'archive' });
  const calls = createBirpc<Calls, OwnerCalls>(
    {
      async get(key, range) {
        const object = await objects.get(key, range);
        return object && (await buffer(object.body));
      },
    },
    {
      post: (message) => worker.postMessage(message, transferOf(message)),
      on: (receive) => worker.on('message', receive),
      timeout: NO_TIMEOUT,
    },
  );
  let ended: Promise<unknown> | undefined;
  const end = (reason: unknown) => {
    if (ended === undefined) calls.$close(reason instanceof Error ? reason : new Error(String(reason)));
    ended ??= worker.terminate();
    return ended;
  };
  worker.on('error', (error) => void end(error));
  worker.on('exit', (code) => void end(new Error(`an archive thread ended with code ${code}`)));
  // The service can exit while threads are idle.
  worker.unref();
  return { calls, hasEnded: () => ended !== undefined, end };
}
