import { Worker } from 'node:worker_threads';
import { createFairQueue } from '@switchboard/fairness';
import { createBirpc } from 'birpc';
import { buffersIn, type ThreadCalls } from './calls.ts';
import { MailTooComplex, type ReadMail } from './read.ts';

/** Reads messages on a separate thread, because one that is made to take long takes hundreds of milliseconds. */
export interface MailReader {
  /**
   * Reads one message at a time, with the fairness keys in rotation. `raw` is empty afterwards. Calls `onSpent` with the milliseconds of CPU that it
   * took, also for a message that is refused. Throws MailTooComplex, also for a message that takes too long or too much
   * memory.
   */
  read(raw: Buffer, fairnessKey: string, onSpent?: (ms: number) => void): Promise<ReadMail>;
  stop(): Promise<void>;
}

/** The longest time for reading, including starting the thread. */
const LONGEST_MS = 20_000;
const MAX_HEAP_MB = 64;
/** The process's own setting is for many requests at once. */
const MAX_YOUNG_MB = 16;
/** The thread ends after this time without a message, and its memory is free again. */
const IDLE_MS = 60_000;
const NO_TIMEOUT = -1;

interface Thread {
  calls: ThreadCalls;
  end(): Promise<unknown>;
}

/** Creates a reader. Its thread starts with the first message, and again after a message that ended the thread. */
export function createMailReader(): MailReader {
  const queued = createFairQueue(1);
  let running: Thread | undefined;
  let idle: NodeJS.Timeout | undefined;

  function start(): Thread {
    const worker = new Worker(new URL('./reading-thread.ts', import.meta.url), {
      name: 'mails',
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
    });
    const calls = createBirpc<ThreadCalls>(
      {},
      {
        post: (message) => worker.postMessage(message, buffersIn(message)),
        on: (receive) => worker.on('message', receive),
        timeout: NO_TIMEOUT,
      },
    );
    const thread: Thread = {
      calls,
      end() {
        if (running === thread) running = undefined;
        calls.$close(new MailTooComplex('takes too long or too much memory'));
        return worker.terminate();
      },
    };
    worker.on('error', () => void thread.end());
    worker.on('exit', () => void thread.end());
    // Lets the process exit without waiting for the thread.
    worker.unref();
    return thread;
  }

  async function readOn(raw: Buffer, onSpent?: (ms: number) => void): Promise<ReadMail> {
    clearTimeout(idle);
    running ??= start();
    const { calls, end } = running;
    const timer = setTimeout(end, LONGEST_MS);
    const began = performance.now();
    let cpuMs: number | undefined;
    try {
      const read = await calls.read(raw);
      cpuMs = read.cpuMs;
      if ('tooComplex' in read.outcome) throw new MailTooComplex(read.outcome.tooComplex);
      return read.outcome;
    } finally {
      // A thread that was ended does not say how much it took.
      onSpent?.(cpuMs ?? performance.now() - began);
      clearTimeout(timer);
      idle = setTimeout(end, IDLE_MS).unref();
    }
  }

  return {
    read: (raw, fairnessKey, onSpent) => queued(fairnessKey, () => readOn(raw, onSpent)),
    async stop() {
      clearTimeout(idle);
      await running?.end();
    },
  };
}
