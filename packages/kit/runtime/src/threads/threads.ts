import { type ResourceLimits, Worker } from 'node:worker_threads';
import { createFairQueue } from '@switchboard/fairness';
import type { ProxifiedRemoteFunctions } from 'birpc';
import { connect } from './calls.ts';

/** The calls that a thread handles, one use at a time. */
type Thread<Calls extends object> = ProxifiedRemoteFunctions<Calls>;

export interface Threads<Calls extends object> {
  /**
   * Uses a thread once one is free; fairness keys take turns. Rejects with ThreadEnded if the thread ends first. If the
   * signal aborts, rejects with its reason and ends the thread; the next use starts another.
   */
  use<T>(work: (thread: Thread<Calls>) => Promise<T>, signal?: AbortSignal, fairnessKey?: string): Promise<T>;
  /** Ends all threads, and rejects the uses that run or wait. */
  stop(): Promise<void>;
}

interface ThreadsOptions<Owner extends object> {
  /** The module that a thread runs. It calls `serveCalls`. */
  module: URL;
  name: string;
  /** The maximum number of threads. Each starts on first use. */
  size?: number;
  /** A use that takes longer ends its thread. */
  longestMs: number;
  /** A thread that is unused for this time ends, which frees its memory. By default, it stays. */
  idleMs?: number;
  resourceLimits?: ResourceLimits;
  /** The calls that a thread can make. */
  owner?: Owner;
}

/** The thread took too long, failed (for example at its limit of memory), or was stopped. */
export class ThreadEnded extends Error {
  readonly reason: 'too long' | 'failed' | 'stopped';

  constructor(name: string, reason: ThreadEnded['reason'], options?: ErrorOptions) {
    super(`thread ${name}: ${reason}`, options);
    this.reason = reason;
  }
}

interface Started<Calls extends object> {
  thread: Thread<Calls>;
  idle?: NodeJS.Timeout | undefined;
  end(reason: unknown): Promise<unknown>;
}

/** Creates threads for work that would block the event loop. They do not keep the process from exiting. */
export function createThreads<Calls extends object, Owner extends object = object>(
  options: ThreadsOptions<Owner>,
): Threads<Calls> {
  const { module, name, size = 1, longestMs, idleMs, resourceLimits = {}, owner = {} } = options;
  const queued = createFairQueue(size);
  const running = new Set<Started<Calls>>();
  const free: Started<Calls>[] = [];
  const stopping = new AbortController();

  function start(): Started<Calls> {
    const worker = new Worker(module, { name, resourceLimits });
    const calls = connect<Calls, object>(worker, owner);
    let ended: Promise<unknown> | undefined;
    const started: Started<Calls> = {
      thread: calls,
      end(reason) {
        if (ended === undefined) {
          running.delete(started);
          if (free.includes(started)) free.splice(free.indexOf(started), 1);
          calls.$close(reason instanceof Error ? reason : new Error(String(reason)));
          ended = worker.terminate();
        }
        return ended;
      },
    };
    worker.on('error', (cause) => void started.end(new ThreadEnded(name, 'failed', { cause })));
    worker.on('exit', () => void started.end(new ThreadEnded(name, 'failed')));
    worker.unref();
    running.add(started);
    return started;
  }

  async function use<T>(work: (thread: Thread<Calls>) => Promise<T>, signal?: AbortSignal): Promise<T> {
    stopping.signal.throwIfAborted();
    signal?.throwIfAborted();
    const started = free.pop() ?? start();
    clearTimeout(started.idle);
    const timer = setTimeout(() => started.end(new ThreadEnded(name, 'too long')), longestMs).unref();
    const abort = () => void started.end(signal?.reason);
    signal?.addEventListener('abort', abort);
    try {
      return await work(started.thread);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      if (running.has(started)) {
        free.push(started);
        if (idleMs !== undefined)
          started.idle = setTimeout(() => started.end(new ThreadEnded(name, 'stopped')), idleMs).unref();
      }
    }
  }

  return {
    use: (work, signal, fairnessKey = '') => queued(fairnessKey, () => use(work, signal), signal),
    async stop() {
      const reason = new ThreadEnded(name, 'stopped');
      stopping.abort(reason);
      await Promise.all([...running].map((started) => started.end(reason)));
    },
  };
}
