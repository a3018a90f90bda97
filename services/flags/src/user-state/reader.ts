import { isUnavailable } from '@switchboard/database';
import { within } from '../within.ts';
import type { PersonName, UserStateText } from './lookup.ts';

export interface UserStateReader {
  /** The state as of now: everything stored before the call is in it. Throws when it cannot be read. */
  read(projectId: string, distinctId: string): Promise<UserStateText>;
}

interface ReaderOptions {
  /** Reads many at once, in their order. */
  find(names: readonly PersonName[]): Promise<UserStateText[]>;
  timeoutMs: number;
}

interface Waiting extends PersonName {
  resolve(state: UserStateText): void;
  reject(error: unknown): void;
}

const MOST_PEOPLE = 200;
/** A query that takes longer does not hold up those who wait: another one is made beside it, up to so many. */
const SLOW_MS = 10;
const MOST_QUERIES = 4;
/** After a failure the database is left alone for so long, and readers are told at once. */
const AWAY_MS = 500;

/**
 * Reads user state with few queries: one for a lone reader, and one for all who came while another was under way,
 * so that the cost of a query is shared the more the busier it gets.
 */
export function createUserStateReader({ find, timeoutMs }: ReaderOptions): UserStateReader {
  let waiting: Waiting[] = [];
  let queries = 0;
  let slowQueries = 0;
  let awayUntil = 0;
  let lastFailure: unknown;

  function queryUnlessSoon(): void {
    if (waiting.length > 0 && queries === slowQueries && queries < MOST_QUERIES) void query();
  }

  async function query(): Promise<void> {
    const batch = waiting.slice(0, MOST_PEOPLE);
    waiting = waiting.slice(MOST_PEOPLE);
    let isSlow = false;
    queries++;
    const timer = setTimeout(() => {
      isSlow = true;
      slowQueries++;
      queryUnlessSoon();
    }, SLOW_MS);
    await answer(batch);
    clearTimeout(timer);
    queries--;
    if (isSlow) slowQueries--;
    queryUnlessSoon();
  }

  async function answer(batch: readonly Waiting[]): Promise<void> {
    try {
      if (performance.now() < awayUntil) throw lastFailure;
      const states = await within(timeoutMs, find(batch));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const state = states[index];
        if (state === undefined) reject(new Error('a person was left out of an answer'));
        else resolve(state);
      }
    } catch (error) {
      if (isUnavailable(error) && error !== lastFailure) {
        lastFailure = error;
        awayUntil = performance.now() + AWAY_MS;
      }
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    read: (projectId, distinctId) =>
      new Promise((resolve, reject) => {
        waiting.push({ projectId, distinctId, resolve, reject });
        queryUnlessSoon();
      }),
  };
}
