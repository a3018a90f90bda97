import { moved } from '@switchboard/engine';
import { createThreads, ThreadEnded } from '@switchboard/runtime/threads';
import type { ThreadCalls } from './calls.ts';
import { MailTooComplex, type ReadMail } from './read.ts';

/** Reads messages on a separate thread, because one that is made to take long takes hundreds of milliseconds. */
export interface MailReader {
  /**
   * Reads one message at a time, with the fairness keys in rotation. `raw` is empty afterwards, unless others use its
   * buffer. Calls `onSpent` with the milliseconds of CPU that it took, also for a message that is refused. Throws
   * MailTooComplex, also for a message that takes too long or too much memory.
   */
  read(raw: Buffer, fairnessKey: string, onSpent?: (ms: number) => void): Promise<ReadMail>;
  /** Ends the thread. A message in progress is not refused, and its sender tries again. */
  stop(): Promise<void>;
}

/** The longest time for reading, including starting the thread. */
const LONGEST_MS = 20_000;
const MAX_HEAP_MB = 64;
/** The process's own setting is for many requests at once. */
const MAX_YOUNG_MB = 16;
const IDLE_MS = 60_000;

export function createMailReader(): MailReader {
  const threads = createThreads<ThreadCalls>({
    module: new URL('./reading-thread.ts', import.meta.url),
    name: 'mails',
    longestMs: LONGEST_MS,
    idleMs: IDLE_MS,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
  });

  async function read(
    thread: ThreadCalls,
    raw: Buffer,
    onSpent: ((ms: number) => void) | undefined,
  ): Promise<ReadMail> {
    const began = performance.now();
    let cpuMs: number | undefined;
    try {
      const isWhole = raw.byteLength === raw.buffer.byteLength;
      const answer = await thread.read(isWhole ? moved(raw, [raw]) : raw);
      cpuMs = answer.cpuMs;
      if ('tooComplex' in answer.outcome) throw new MailTooComplex(answer.outcome.tooComplex);
      return answer.outcome;
    } catch (error) {
      if (!(error instanceof ThreadEnded) || error.reason === 'stopped') throw error;
      throw new MailTooComplex('takes too long or too much memory');
    } finally {
      // A thread that was ended does not say how much it took.
      onSpent?.(cpuMs ?? performance.now() - began);
    }
  }

  return {
    read: (raw, fairnessKey, onSpent) =>
      threads.use((thread) => read(thread, raw, onSpent), undefined, fairnessKey),
    stop: threads.stop,
  };
}
