import { bucketIn, type Calendar } from './calendar.ts';

/** All time in order, in parts that each belong to one bucket or to none. */
export interface Parts {
  /** The end of each part in milliseconds since 1970. The last one is infinite. */
  ends: Float64Array;
  /** The bucket of each part, or NO_BUCKET. */
  buckets: Int32Array;
}

export const NO_BUCKET = -(2 ** 31);

/**
 * Returns the parts of the buckets of instants that `isIn` selects, which are within `calendar.around`. Going through them
 * with times in order is cheaper than computing the bucket of each time.
 */
export function partsOf(calendar: Calendar, isIn: (t: number) => boolean): Parts {
  const { unitMs, mapped, stretches, around, from, to, gaps } = calendar;
  const instants = [from, to, around.from, around.to];
  for (const gap of [...gaps, ...around.gaps]) instants.push(gap.from, gap.to);
  let begin = Number.NEGATIVE_INFINITY;
  for (const { until, offset } of stretches) {
    if (Number.isFinite(until)) instants.push(until);
    for (let unit = mapped; unit <= mapped + calendar.buckets.length; unit++) {
      const instant = unit * unitMs - offset;
      if (instant >= begin && instant < until) instants.push(instant);
    }
    begin = until;
  }
  const ends: number[] = [];
  const buckets = [NO_BUCKET];
  for (const instant of [...new Set(instants)].sort((one, other) => one - other)) {
    const bucket = isIn(instant) ? bucketIn(calendar, instant) : NO_BUCKET;
    if (bucket === buckets.at(-1)) continue;
    ends.push(instant);
    buckets.push(bucket);
  }
  return {
    ends: Float64Array.from([...ends, Number.POSITIVE_INFINITY]),
    buckets: Int32Array.from(buckets),
  };
}
