import type { Interval } from './content.ts';

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d\d-\d\d$/;
const HOUR = /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):00$/;

/** The days of a bucket, both ends inclusive. */
export interface BucketDays {
  from: string;
  to: string;
}

const dayNumber = (day: string) => Date.parse(`${day}T00:00:00Z`) / DAY_MS;
const dayOf = (number: number) => new Date(number * DAY_MS).toISOString().slice(0, 10);
const isAscending = (numbers: readonly number[]) =>
  numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0));

/** Returns the numbers of the days if all buckets are days in order. */
function dayNumbers(buckets: readonly string[]): number[] | undefined {
  const numbers = buckets.map((bucket) => (DAY.test(bucket) ? dayNumber(bucket) : Number.NaN));
  return numbers.some(Number.isNaN) || !isAscending(numbers) ? undefined : numbers;
}

function areHours(buckets: readonly string[]): boolean {
  if (!buckets.every((bucket) => HOUR.test(bucket))) return false;
  return isAscending(buckets.map((bucket) => Date.parse(`${bucket}Z`)));
}

/**
 * Returns the interval of the buckets if all are hours or days in order, or undefined otherwise. Days seven apart are
 * weeks, and the first days of consecutive months are months.
 */
export function intervalOf(buckets: readonly string[], named?: Interval): Interval | undefined {
  if (areHours(buckets)) return 'hour';
  const numbers = dayNumbers(buckets);
  if (numbers === undefined) return undefined;
  if (named !== undefined && named !== 'hour') return named;
  const gaps = numbers.slice(1).map((number, index) => number - (numbers[index] ?? 0));
  if (gaps.length === 0) return 'day';
  if (gaps.every((gap) => gap === 7)) return 'week';
  const areMonths = buckets.every((bucket) => bucket.endsWith('-01')) && gaps.every((gap) => gap <= 31);
  return areMonths ? 'month' : 'day';
}

/**
 * Returns the days that each bucket covers: from its own to the day before the next. The last is as long as the one
 * before. An hour covers its day. Returns undefined if the buckets are neither days nor hours.
 */
export function daysOfBuckets(buckets: readonly string[]): BucketDays[] | undefined {
  if (areHours(buckets)) {
    return buckets.map((bucket) => ({ from: bucket.slice(0, 10), to: bucket.slice(0, 10) }));
  }
  const numbers = dayNumbers(buckets);
  return numbers?.map((start, index) => {
    const next = numbers[index + 1] ?? start + (start - (numbers[index - 1] ?? start - 1));
    return { from: dayOf(start), to: dayOf(next - 1) };
  });
}
