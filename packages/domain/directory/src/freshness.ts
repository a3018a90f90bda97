import { pause, withDeadline } from '@switchboard/resilience';

interface FreshnessOptions {
  /** Returns the offset of the next record of each partition of the topic. */
  endOffsets(): Promise<bigint[]>;
  /** Returns whether the replica has applied everything before these offsets. */
  hasReached(ends: bigint[]): Promise<boolean>;
  /** Called when the replica may hold new records, before any waiting caller resumes. */
  onAdvanced(): void;
  /** The longest wait of a caller. */
  maxWaitMs: number;
}

export interface Freshness {
  /**
   * Resolves when the replica has applied everything that was on the topic at the call. Also resolves after
   * `maxWaitMs`, if too many callers wait already, and while the log does not respond. The caller then uses the
   * replica as it is.
   */
  caughtUp(): Promise<void>;
}

/** The minimum interval between queries to the log, regardless of the number of callers. */
const ROUND_INTERVAL_MS = 50;
/** How long callers do not wait after a failure. */
const FAILED_FOR_MS = 1_000;
const MAX_WAITING = 1_000;
const POLL_MS = 20;

/**
 * Compares the replica with the topic in rounds. One round runs at a time, and all callers that ask before it begins
 * share it. While the topic does not grow, a round is one query to the log.
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
    // Later callers need offsets that are read after their call.
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
