import { bucketIn, type Calendar, includes } from '../calendar/calendar.ts';
import { partsOf } from '../calendar/parts.ts';
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

/** Counts people by their activity in and around each bucket. */
export function createLifecycle(calendar: Calendar) {
  const { labels, around } = calendar;
  /** From the bucket before the first. */
  const counts = Array.from({ length: labels.length + 1 }, () => ({ fresh: 0, back: 0, again: 0, gone: 0 }));
  const isIn = (t: number) =>
    includes(around, t) && (includes(calendar, t) || bucketIn(calendar, t) === BEFORE);
  const activeIn = bucketsIn(partsOf(calendar, isIn), 'first');
  return {
    /** Returns the counts of a bucket. That before the first is -1. */
    in: (bucket: number): LifecycleCounts | undefined => counts[bucket - BEFORE],
    /** Adds a person with the times of all events up to the end of the calendar, in order. */
    add(times: Float64Array): void {
      const active = activeIn(times);
      for (let index = 0; index < active.size; index++) {
        const bucket = active.at(index);
        const own = counts[bucket - BEFORE];
        if (own === undefined) continue;
        if (active.timeIn(bucket) === times[0]) own.fresh++;
        else if (active.has(bucket - 1)) own.back++;
        else own.again++;
        if (!active.has(bucket + 1)) own.gone++;
      }
    },
  };
}
