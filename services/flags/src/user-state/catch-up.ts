import type { StatePosition } from '@switchboard/contracts';
import { isUnavailable } from '@switchboard/database';
import { withDeadline } from '@switchboard/resilience';
import type { AppliedPosition, PersonKey } from '@switchboard/user-state';

/** The progress of user state relative to the requested positions. */
export interface Progress {
  /** Whether every position is applied. */
  isApplied: boolean;
  /** The time when the newest applied record was stored, for the partition furthest behind. */
  asOf: Date | undefined;
}

export interface CatchUp {
  /** Resolves once the records at these positions, of calls about the person, are applied, or after a second. */
  waitFor(positions: readonly StatePosition[], person: PersonKey): Promise<Progress>;
}

interface CatchUpOptions {
  listPositions(): Promise<AppliedPosition[]>;
  /** Calls `onNext` when the next change of a person is announced. Some announcements are lost. */
  onNextChange(projectId: string, distinctId: string, onNext: () => void): void;
  /** The maximum number of waiting requests. The rest are answered immediately with the last known progress. */
  maxWaiting?: number;
}

interface Waiting {
  positions: readonly StatePosition[];
  since: number;
  resolve(progress: Progress): void;
  reject(error: unknown): void;
}

type Applied = ReadonlyMap<string, AppliedPosition>;

const TIMEOUT_MS = 1000;
/** The pause between two polls is the time that the latest request has waited, within these bounds. */
const MIN_PAUSE_MS = 3;
const MAX_PAUSE_MS = 6;

const UNKNOWN: Progress = { isApplied: false, asOf: undefined };

/**
 * Lets requests wait until this or another process has applied records. One poll of the database serves every
 * waiting request. An announced change of a person who is waited for starts the next poll at once. No poll runs while
 * no request waits.
 */
export function createCatchUp({ listPositions, onNextChange, maxWaiting = 10_000 }: CatchUpOptions): CatchUp {
  const waiting = new Set<Waiting>();
  let isPolling = false;
  let applied: Applied = new Map();
  /** Whether a change was announced since the last poll began. */
  let isAnnounced = false;
  let endPause = (): void => undefined;

  function announced(): void {
    isAnnounced = true;
    endPause();
  }

  /** Resolves after the time, or when a change is announced. */
  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function poll(): Promise<void> {
    isPolling = true;
    while (waiting.size > 0) {
      isAnnounced = false;
      const failure = await readApplied();
      const now = performance.now();
      let youngest = TIMEOUT_MS;
      for (const one of waiting) {
        const progress = progressOf(one.positions, applied);
        const age = now - one.since;
        if (failure !== undefined) finish(one, () => one.reject(failure));
        else if (progress.isApplied || age >= TIMEOUT_MS) finish(one, () => one.resolve(progress));
        else youngest = Math.min(youngest, age);
      }
      if (waiting.size > 0 && !isAnnounced)
        await pause(Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, youngest)));
    }
    isPolling = false;
  }

  /** Returns an unexpected error. If the database is unavailable, all requests stop waiting. */
  async function readApplied(): Promise<unknown> {
    try {
      const positions = await withDeadline(TIMEOUT_MS, listPositions());
      applied = new Map(positions.map((position) => [partitionKey(position), position]));
      return undefined;
    } catch (error) {
      if (!isUnavailable(error)) return error;
      for (const one of waiting) finish(one, () => one.resolve(UNKNOWN));
      return undefined;
    }
  }

  function finish(one: Waiting, settle: () => void): void {
    waiting.delete(one);
    settle();
  }

  return {
    async waitFor(positions, { projectId, distinctId }) {
      if (waiting.size >= maxWaiting) return progressOf(positions, applied);
      onNextChange(projectId, distinctId, announced);
      return new Promise((resolve, reject) => {
        waiting.add({ positions, since: performance.now(), resolve, reject });
        if (!isPolling) void poll();
      });
    },
  };
}

function progressOf(positions: readonly StatePosition[], applied: Applied): Progress {
  let asOf: Date | undefined;
  let isApplied = true;
  for (const position of positions) {
    const found = applied.get(partitionKey(position));
    if (found === undefined) return UNKNOWN;
    if (found.nextOffset <= position.offset) isApplied = false;
    if (asOf === undefined || found.asOf < asOf) asOf = found.asOf;
  }
  return { isApplied, asOf };
}

const partitionKey = ({ topic, partition }: { topic: string; partition: number }) => `${topic} ${partition}`;
