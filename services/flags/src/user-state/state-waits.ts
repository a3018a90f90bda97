import { setTimeout as sleep } from 'node:timers/promises';
import type { StatePosition } from '@switchboard/contracts';
import { isUnavailable } from '@switchboard/database';
import { within } from '../within.ts';
import type { AppliedPosition } from './positions.ts';

/** How far user state is. */
export interface Reached {
  /** Whether all that was waited for is applied. */
  isApplied: boolean;
  /** When the newest applied call of the partitions in question came in, the furthest behind; if any did. */
  asOf: Date | undefined;
}

export interface StateWaits {
  /** Resolves when the calls at these positions are applied, or after a second. */
  reached(positions: readonly StatePosition[]): Promise<Reached>;
}

interface StateWaitsOptions {
  read(): Promise<AppliedPosition[]>;
  /** How many may wait at once; others are told at once how far it is. Default 10,000. */
  mostWaiting?: number;
}

interface Waiting {
  positions: readonly StatePosition[];
  since: number;
  resolve(reached: Reached): void;
  reject(error: unknown): void;
}

type Applied = ReadonlyMap<string, AppliedPosition>;

const PATIENCE_MS = 1000;
/** Between two looks: as long as the latest comer has waited, within these bounds. */
const SHORTEST_PAUSE_MS = 3;
const LONGEST_PAUSE_MS = 15;

/**
 * Lets requests wait for calls to be applied, here or by another process. One look at the database serves all who
 * wait; while nobody does there is none.
 */
export function createStateWaits({ read, mostWaiting = 10_000 }: StateWaitsOptions): StateWaits {
  const waiting = new Set<Waiting>();
  let isLooking = false;
  let applied: Applied = new Map();

  async function look(): Promise<void> {
    isLooking = true;
    while (waiting.size > 0) {
      const failure = await readApplied();
      const now = performance.now();
      let youngest = PATIENCE_MS;
      for (const one of waiting) {
        const reached = reachedOf(one.positions, applied);
        const age = now - one.since;
        if (failure !== undefined) finish(one, () => one.reject(failure));
        else if (reached.isApplied || age >= PATIENCE_MS) finish(one, () => one.resolve(reached));
        else youngest = Math.min(youngest, age);
      }
      if (waiting.size > 0) await sleep(Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, youngest)));
    }
    isLooking = false;
  }

  /** While the database is away nothing is known, and nobody waits for it. */
  async function readApplied(): Promise<unknown> {
    try {
      const positions = await within(PATIENCE_MS, read());
      applied = new Map(positions.map((position) => [nameOf(position), position]));
      return undefined;
    } catch (error) {
      if (!isUnavailable(error)) return error;
      for (const one of waiting) finish(one, () => one.resolve(unknown));
      return undefined;
    }
  }

  function finish(one: Waiting, answer: () => void): void {
    waiting.delete(one);
    answer();
  }

  return {
    async reached(positions) {
      if (waiting.size >= mostWaiting) return reachedOf(positions, applied);
      return new Promise((resolve, reject) => {
        waiting.add({ positions, since: performance.now(), resolve, reject });
        if (!isLooking) void look();
      });
    },
  };
}

const unknown: Reached = { isApplied: false, asOf: undefined };

function reachedOf(positions: readonly StatePosition[], applied: Applied): Reached {
  let asOf: Date | undefined;
  let isApplied = true;
  for (const position of positions) {
    const found = applied.get(nameOf(position));
    if (found === undefined) return unknown;
    if (found.nextOffset <= position.offset) isApplied = false;
    if (asOf === undefined || found.asOf < asOf) asOf = found.asOf;
  }
  return { isApplied, asOf };
}

const nameOf = ({ topic, partition }: { topic: string; partition: number }) => `${topic} ${partition}`;
