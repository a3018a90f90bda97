import type { Clock } from '@switchboard/runtime';
import { type Narrowing, type QueryQueue, TooMuch } from '../query-queue/query-queue.ts';
import type { Results } from '../results/results.ts';
import type { Watermark } from '../watermark/watermark.ts';

/** The dependencies of listing a project's events. */
export interface ExploreOptions {
  queue: QueryQueue;
  results: Results;
  watermark: Pick<Watermark, 'asOf'>;
  clock: Clock;
}

export const SINCE: Narrowing = { parameter: 'since', by: 'a later time', filter: 'a smaller limit' };

export const DAY_MS = 86_400_000;

/**
 * Returns the times to read from, in milliseconds since 1970: `since` (RFC 3339), or else the start of the UTC day
 * each number of `days` ago. The later ones are fallbacks for reading too much at once.
 */
export function startsOf(since: string | undefined, days: readonly number[], clock: Clock): number[] {
  if (since !== undefined) return [Date.parse(since)];
  const today = Math.floor(clock.now().getTime() / DAY_MS);
  return days.map((count) => (today - count) * DAY_MS);
}

/** Returns the first result of `work` that does not throw TooMuch. Throws TooMuch if the last one does. */
export async function firstPossible<T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R> {
  let refusal: unknown;
  for (const one of all) {
    try {
      return await work(one);
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error;
      refusal = error;
    }
  }
  throw refusal;
}
