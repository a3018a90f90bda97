import { bucketIn, type Calendar, includes } from '../calendar/calendar.ts';
import { partsOf } from '../calendar/parts.ts';
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

/** Counts people who return after they began. */
export function createReturns({ calendar, periods, isFirst, isRolling }: ReturnsOptions) {
  const { around, from } = calendar;
  const rows = calendar.labels.map(() => new Float64Array(periods + 1));
  const count = (row: number, period: number) => {
    const own = rows[row];
    if (own !== undefined) own[period + 1] = (own[period + 1] ?? 0) + 1;
  };
  const startsIn = bucketsOf(calendar);
  const returnsIn = bucketsIn(
    partsOf(calendar, (t) => includes(around, t)),
    'last',
  );

  /** Counts a return in a bucket at a time. */
  function addReturn(row: number, start: number, bucket: number, t: number): void {
    if (bucket < row || (bucket === row && t < start)) return;
    const period = bucket - row;
    if (period < periods) count(row, period);
    else if (isRolling) count(row, periods - 1);
  }

  return {
    /** Adds a person with the times of start events and of return events, each in order. */
    add(starting: Float64Array, returning: Float64Array): void {
      const starts = startsIn(isFirst ? starting.subarray(0, 1) : starting);
      if (starts.size === 0) return;
      const last = returning.at(-1) ?? Number.NEGATIVE_INFINITY;
      const latest = Math.min(last, around.to - 1);
      const returns = returnsIn(isRolling ? returning.subarray(0, 0) : returning);
      for (let start = 0; start < starts.size; start++) {
        const row = starts.at(start);
        const t = starts.timeIn(row);
        count(row, -1);
        if (isRolling && last >= from) addReturn(row, t, bucketIn(calendar, latest), latest);
        for (let index = 0; index < returns.size; index++) {
          const bucket = returns.at(index);
          addReturn(row, t, bucket, returns.timeIn(bucket));
        }
      }
    },
    counts: (): ReturnCount[] =>
      rows.flatMap((own, row) =>
        [...own].flatMap((total, index) => (total === 0 ? [] : [{ row, period: index - 1, total }])),
      ),
  };
}
