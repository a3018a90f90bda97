import { bucketIn, type Calendar, includes } from '../calendar/calendar.ts';
import { partsOf } from '../calendar/parts.ts';
import type { Counter } from '../timelines/counts.ts';
import { bucketsIn, bucketsOf } from './buckets.ts';

interface ReturnsOptions {
  calendar: Calendar;
  periods: number;
  /** Whether a person begins in the interval of the first event ever, instead of in each interval with one. */
  isFirst: boolean;
  /** Whether a return counts in its interval and in all before, so that the latest is enough. */
  isRolling: boolean;
}

/** People who began, or who returned. */
interface ReturnCount {
  row: number;
  /** The intervals between both. -1 for those who began. */
  period: number;
  total: number;
}

/** By row: the number of people who began, then of those who returned after each period. */
type Returns = Float64Array[];

/** Counts people who return after they began, in the lists of start events and of return events. */
export function createReturns(options: ReturnsOptions): Counter<Returns> {
  const { calendar, periods, isFirst, isRolling } = options;
  const { around, from } = calendar;
  const startsIn = bucketsOf(calendar);
  const returnsIn = bucketsIn(
    partsOf(calendar, (t) => includes(around, t)),
    'last',
  );

  /** Returns the period of a return in a bucket at a time; -1 if it does not count. */
  function periodOf(row: number, start: number, bucket: number, t: number): number {
    if (bucket < row || (bucket === row && t < start)) return -1;
    const period = bucket - row;
    if (period < periods) return period;
    return isRolling ? periods - 1 : -1;
  }

  return {
    key: ['returns', calendar, periods, isFirst, isRolling],
    empty: () => calendar.labels.map(() => new Float64Array(periods + 1)),
    add(rows, { times, ends: [end = 0] }, sign) {
      const [starting, returning] = [times.subarray(0, end), times.subarray(end)];
      const starts = startsIn(isFirst ? starting.subarray(0, 1) : starting);
      if (starts.size === 0) return;
      const last = returning.at(-1) ?? Number.NEGATIVE_INFINITY;
      const latest = Math.min(last, around.to - 1);
      const returns = returnsIn(isRolling ? returning.subarray(0, 0) : returning);
      for (let start = 0; start < starts.size; start++) {
        const row = starts.at(start);
        const t = starts.timeIn(row);
        const own = rows[row] ?? NO_ROW;
        own[0] = (own[0] ?? 0) + sign;
        if (isRolling && last >= from) count(own, periodOf(row, t, bucketIn(calendar, latest), latest), sign);
        for (let index = 0; index < returns.size; index++) {
          const bucket = returns.at(index);
          count(own, periodOf(row, t, bucket, returns.timeIn(bucket)), sign);
        }
      }
    },
  };
}

const NO_ROW = new Float64Array();

function count(row: Float64Array, period: number, sign: 1 | -1): void {
  if (period !== -1) row[period + 1] = (row[period + 1] ?? 0) + sign;
}

export const returnCounts = (rows: Returns): ReturnCount[] =>
  rows.flatMap((own, row) =>
    [...own].flatMap((total, index) => (total === 0 ? [] : [{ row, period: index - 1, total }])),
  );
