import { pause } from './backoff.ts';

/** The longest delay before a retry after a failure, regardless of the interval. */
const RETRY_WITHIN_MS = 60_000;
/** How long looks stay frequent after one found work. */
const QUIET_MS = 30_000;
const TIMES_RARER = 4;

/** Looks for work. Resolves with false if there was none, or with nothing if the interval never changes. */
type Look = () => Promise<void> | Promise<boolean>;

interface PollOptions {
  everyMs: number;
  signal: AbortSignal;
  /** Called with the error of each failed call. */
  onFailure(error: unknown): void;
}

/** Background work that polls. */
export interface Polling {
  /** Returns at once. Further calls do nothing. */
  start(): void;
  /** Waits for the current call of `look`. */
  stop(): Promise<void>;
}

/** Creates background work that calls `look` as `poll` does, from its start until its stop. */
export function createPolling(
  look: (signal: AbortSignal) => ReturnType<Look>,
  { everyMs, onFailure }: Omit<PollOptions, 'signal'>,
): Polling {
  const stopping = new AbortController();
  const { signal } = stopping;
  let running: Promise<void> | undefined;
  return {
    start() {
      running ??= poll(() => look(signal), { everyMs, signal, onFailure });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

/**
 * Calls `look` repeatedly until the signal aborts. The next call starts `everyMs` after the previous one has ended,
 * or after at most a minute if it failed; four times later unless a call has found work within 30 seconds. Never
 * rejects.
 */
export async function poll(look: Look, { everyMs, signal, onFailure }: PollOptions): Promise<void> {
  const waitAfter = lookInterval(everyMs);
  while (!signal.aborted) {
    let waitMs = everyMs;
    try {
      waitMs = waitAfter((await look()) !== false);
    } catch (error) {
      onFailure(error);
      waitMs = Math.min(everyMs, RETRY_WITHIN_MS);
    }
    await pause(waitMs, signal);
  }
}

/** Takes work and does it, one after another, until none is left. Resolves with whether there was any. */
export async function doAll<T>(
  signal: AbortSignal,
  take: () => Promise<T | undefined>,
  work: (taken: T) => Promise<void>,
): Promise<boolean> {
  let hasFound = false;
  while (!signal.aborted) {
    const taken = await take();
    if (taken === undefined) break;
    hasFound = true;
    await work(taken);
  }
  return hasFound;
}

/**
 * Returns the wait before the next look for work: `everyMs` for 30 seconds after one has found some, otherwise four
 * times as long, so that idle processes take little CPU time.
 */
export function lookInterval(everyMs: number): (hasFound: boolean) => number {
  let foundAt = Number.NEGATIVE_INFINITY;
  return (hasFound) => {
    const now = performance.now();
    if (hasFound) foundAt = now;
    return now - foundAt < QUIET_MS ? everyMs : everyMs * TIMES_RARER;
  };
}
