import { bucketIn, type Calendar, includes } from '../calendar/calendar.ts';
import { partsOf } from '../calendar/parts.ts';
import type { Counter } from '../timelines/counts.ts';
import { bucketsIn } from './buckets.ts';

/** The people of a bucket. */
export interface LifecycleCounts {
  /** Their first event ever is in the bucket. */
  fresh: number;
  /** They were also active in the bucket before. */
  back: number;
  /** They were active before, but not in the bucket before. */
  again: number;
  /** They are not active in the next bucket. */
  gone: number;
}

/** The bucket before the first. */
const BEFORE = -1;

/** Returns the counts of a bucket. That before the first is -1. */
export const countsIn = (counts: readonly LifecycleCounts[], bucket: number): LifecycleCounts | undefined =>
  counts[bucket - BEFORE];

/** Counts people by their activity in and around each bucket, with all their events up to the end of the calendar. */
export function createLifecycle(calendar: Calendar): Counter<LifecycleCounts[]> {
  const { labels, around } = calendar;
  const isIn = (t: number) =>
    includes(around, t) && (includes(calendar, t) || bucketIn(calendar, t) === BEFORE);
  const activeIn = bucketsIn(partsOf(calendar, isIn), 'first');
  return {
    key: ['lifecycle', calendar],
    empty: () => Array.from({ length: labels.length + 1 }, () => ({ fresh: 0, back: 0, again: 0, gone: 0 })),
    add(counts, { times }, sign) {
      const active = activeIn(times);
      for (let index = 0; index < active.size; index++) {
        const bucket = active.at(index);
        const own = countsIn(counts, bucket);
        if (own === undefined) continue;
        if (active.timeIn(bucket) === times[0]) own.fresh += sign;
        else if (active.has(bucket - 1)) own.back += sign;
        else own.again += sign;
        if (!active.has(bucket + 1)) own.gone += sign;
      }
    },
  };
}
