import { type Calendar, includes } from '../calendar/calendar.ts';
import { NO_BUCKET, type Parts, partsOf } from '../calendar/parts.ts';

const NONE = -1;

/** The buckets of a person's times. */
export interface ActiveBuckets {
  /** The number of different buckets. */
  readonly size: number;
  /** Returns a bucket by its index. */
  at(index: number): number;
  /** Returns the first or the last time in a bucket. */
  timeIn(bucket: number): number;
  has(bucket: number): boolean;
}

/** Returns a function that finds the buckets of a person's times, which are in order. Its result is valid until the next call. */
export function bucketsIn({ ends, buckets }: Parts, kept: 'first' | 'last') {
  const lowest = buckets.reduce((least, one) => (one === NO_BUCKET ? least : Math.min(least, one)), 0);
  const count = buckets.reduce((most, one) => Math.max(most, one), lowest) - lowest + 1;
  const active = new Int32Array(count);
  const times = new Float64Array(count);
  /** The number of the last person in each bucket. */
  const people = new Uint32Array(count);
  const isLast = kept === 'last';
  let person = 0;
  let size = 0;
  const found: ActiveBuckets = {
    get size() {
      return size;
    },
    at: (index) => (active[index] ?? 0) + lowest,
    timeIn: (bucket) => times[bucket - lowest] ?? Number.NaN,
    has: (bucket) => people[bucket - lowest] === person,
  };
  return (all: Float64Array): ActiveBuckets => {
    person++;
    const current = person;
    let count = 0;
    let end = Number.NEGATIVE_INFINITY;
    let place = NONE;
    for (let event = 0, part = 0; event < all.length; event++) {
      const t = all[event] ?? 0;
      if (t >= end) {
        while (t >= (ends[part] ?? Number.POSITIVE_INFINITY)) part++;
        end = ends[part] ?? Number.POSITIVE_INFINITY;
        const bucket = buckets[part] ?? NO_BUCKET;
        place = bucket === NO_BUCKET ? NONE : bucket - lowest;
      }
      if (place === NONE) continue;
      if (people[place] !== current) {
        people[place] = current;
        active[count++] = place;
        times[place] = t;
      } else if (isLast) times[place] = t;
    }
    size = count;
    return found;
  };
}

/** Returns the function for the buckets of a calendar. */
export const bucketsOf = (calendar: Calendar) =>
  bucketsIn(
    partsOf(calendar, (t) => includes(calendar, t)),
    'first',
  );
