import type { Clock } from '@switchboard/service-kit';
import type { Answers } from '../insights/answers.ts';
import { type Desk, type Narrowing, TooMuch } from '../insights/desk.ts';
import type { Watermark } from '../watermark/watermark.ts';

/** What looking at a project's events takes. */
export interface ExploreOptions {
  desk: Desk;
  answers: Answers;
  watermark: Pick<Watermark, 'asOf'>;
  clock: Clock;
}

export const SINCE: Narrowing = { parameter: 'since', by: 'a later time', filter: 'a smaller limit' };

export const DAY_MS = 86_400_000;

/**
 * From when to read: since this time (RFC 3339), or else since the start of the UTC day so many days ago; the later
 * ones where that is too much at once. Milliseconds since 1970.
 */
export function startsOf(since: string | undefined, days: readonly number[], clock: Clock): number[] {
  if (since !== undefined) return [Date.parse(since)];
  const today = Math.floor(clock.now().getTime() / DAY_MS);
  return days.map((count) => (today - count) * DAY_MS);
}

/** What `work` makes of the first of these that is not too much at once. Throws TooMuch where the last one is. */
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
