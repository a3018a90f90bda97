import { pause, withDeadline } from '@switchboard/resilience';

interface FreshnessOptions {
  /** The offset of the next record of each partition of the topic. */
  endOffsets(): Promise<bigint[]>;
  /** Whether the replica has applied everything before these offsets. */
  hasReached(ends: bigint[]): Promise<boolean>;
  /** The replica holds records that it may not have held before. Called before any waiting caller goes on. */
  onAdvanced(): void;
  /** Longest wait of a caller. */
  maxWaitMs: number;
}

export interface Freshness {
  /**
   * Resolves when the replica has applied what was on the topic at the call. Resolves without that after `maxWaitMs`,
   * when too many wait already, and while the log does not answer: the caller then uses what the replica holds.
   */
  caughtUp(): Promise<void>;
}

/** However many ask, the log is asked at most this often. */
const ROUND_INTERVAL_MS = 50;
/** After a failure, nobody waits for this long. */
const FAILED_FOR_MS = 1_000;
const MAX_WAITING = 1_000;
const POLL_MS = 20;

/**
 * Compares the replica with the topic in rounds: one at a time, and all who ask before a round begins share it. While
 * the topic does not grow, a round is one query to the log.
 */
export function createFreshness({
  endOffsets,
  hasReached,
  onAdvanced,
  maxWaitMs,
}: FreshnessOptions): Freshness {
  let reached: bigint[] | undefined;
  let next: Promise<void> | undefined;
  let current = Promise.resolve();
  let beganAt = Number.NEGATIVE_INFINITY;
  let failedAt = Number.NEGATIVE_INFINITY;
  let waiting = 0;

  async function beginNext(): Promise<void> {
    await current;
    const waitMs = beganAt + ROUND_INTERVAL_MS - performance.now();
    if (waitMs > 0) await pause(waitMs);
    // Whoever asks from here on needs offsets that are read later.
    next = undefined;
    beganAt = performance.now();
    current = round().catch(() => {
      failedAt = performance.now();
    });
    await current;
  }

  async function round(): Promise<void> {
    const deadline = performance.now() + maxWaitMs;
    const ends = await withDeadline(maxWaitMs, endOffsets());
    if (isSame(ends, reached)) return;
    while (!(await withDeadline(deadline - performance.now(), hasReached(ends)))) {
      if (performance.now() > deadline) return;
      await pause(POLL_MS);
    }
    reached = ends;
    onAdvanced();
  }

  return {
    async caughtUp() {
      if (waiting >= MAX_WAITING || performance.now() - failedAt < FAILED_FOR_MS) return;
      waiting++;
      next ??= beginNext();
      await withDeadline(maxWaitMs, next).catch(() => undefined);
      waiting--;
    },
  };
}

function isSame(ends: readonly bigint[], others: readonly bigint[] | undefined): boolean {
  return ends.length === others?.length && ends.every((end, partition) => end === others[partition]);
}
