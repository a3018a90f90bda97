import type { InsightInterval, InsightRange } from '@switchboard/contracts';
import { offsetsIn, type Stretch, stretchesIn } from './zone.ts';

export const MS_PER_HOUR = 3_600_000;
const MS_PER_DAY = 86_400_000;
const DAYS_PER_WEEK = 7;
const MONTHS_PER_YEAR = 12;
/** Days from a Monday to 1970-01-01, which was a Thursday. */
const DAYS_SINCE_MONDAY = 3;
export const MAX_BUCKETS = 400;

/** A range that no report can show. The message gives the reason and what to ask for instead. */
export class UnusableRange extends Error {
  override readonly name = 'UnusableRange';
}

export const tooManyIntervals = (most: number) =>
  new UnusableRange(`more than ${most} intervals; use a longer interval or a shorter range`);

/** A range in local time, in units since 1970: hours for queries about hours, otherwise days. */
export interface Span {
  unitMs: number;
  first: number;
  /** Inclusive. */
  last: number;
}

/** The instants from `from` until before `to`, in milliseconds since 1970, without the gaps. */
export interface Instants {
  from: number;
  to: number;
  /** Where clocks are set back past midnight, the local day ends, and continues after the gap. */
  gaps: readonly { from: number; to: number }[];
}

/**
 * The intervals of a span in a time zone, with the instants of the span. Each local unit belongs to a bucket, so
 * any engine finds the bucket of an instant from its offset, a division and a look-up.
 */
export interface Calendar extends Span, Instants {
  interval: InsightInterval;
  /** The number of each bucket of the span, counted from the interval of 1970. */
  numbers: number[];
  /** The first day or hour of each bucket. */
  labels: string[];
  /** The end of each bucket, from the first of the span to the last that was requested after it. */
  ends: number[];
  /** The first unit in `buckets`. */
  mapped: number;
  /** The bucket of each unit. The first bucket of the span is 0, and earlier buckets are negative. */
  buckets: number[];
  stretches: readonly Stretch[];
  /** The instants of all buckets, which may extend beyond the span. */
  around: Instants;
}

interface CalendarOptions {
  span: Span;
  interval: InsightInterval;
  timeZone: string;
  /** The number of buckets needed before and after the span. */
  before?: number;
  after?: number;
}

export function spanOf(range: InsightRange, interval: InsightInterval, timeZone: string, now: number): Span {
  if ('from' in range) {
    const [first, last] = [dayNumber(range.from), dayNumber(range.to)];
    if (interval !== 'hour') return { unitMs: MS_PER_DAY, first, last };
    return { unitMs: MS_PER_HOUR, first: first * 24, last: last * 24 + 23 };
  }
  const byHour = interval === 'hour' || range.unit === 'hour';
  const unitMs = byHour ? MS_PER_HOUR : MS_PER_DAY;
  const last = Math.floor((now + offsetsIn(timeZone)(now)) / unitMs);
  const first = unitOf(bucketOf(last, range.unit, unitMs) - range.last + 1, range.unit, unitMs);
  return { unitMs, first, last };
}

/** Throws UnusableRange. */
export function calendarOf({ span, interval, timeZone, before = 0, after = 0 }: CalendarOptions): Calendar {
  const { unitMs } = span;
  const [first, last] = [bucketOf(span.first, interval, unitMs), bucketOf(span.last, interval, unitMs)];
  if (last - first + 1 > MAX_BUCKETS) throw tooManyIntervals(MAX_BUCKETS);
  // One more, because clocks may have skipped one.
  const margin = (count: number) => (count === 0 ? 0 : count + 1);
  const mapped = unitOf(first - margin(before), interval, unitMs);
  const end = unitOf(last + margin(after) + 1, interval, unitMs);
  // Local time differs from UTC by at most a day.
  const stretches = stretchesIn(timeZone, mapped * unitMs - MS_PER_DAY, end * unitMs + MS_PER_DAY);

  const existing = new Set<number>();
  // Clocks may skip the whole span, but not the week or month around it.
  let isSkipped = true;
  for (let unit = mapped; unit < end; unit++) {
    if (!isOnClocks(unit, unitMs, stretches)) continue;
    existing.add(bucketOf(unit, interval, unitMs));
    if (unit >= span.first && unit <= span.last) isSkipped = false;
  }
  const order = [...existing].sort((one, other) => one - other);
  const zero = order.filter((bucket) => bucket < first).length;
  const numbers = isSkipped ? [] : order.filter((bucket) => bucket >= first && bucket <= last);
  const indexes = new Map(order.map((bucket, index) => [bucket, index - zero]));
  const buckets = Array.from(
    { length: end - mapped },
    (_, index) =>
      // An hour or day that clocks skip has no events. It only fills the place of its unit.
      indexes.get(bucketOf(mapped + index, interval, unitMs)) ?? -zero,
  );
  return {
    ...span,
    interval,
    numbers,
    labels: numbers.map((bucket) => labelOf(bucket, interval)),
    ends: order
      .slice(zero)
      .map((bucket) => instantOf(unitOf(bucket + 1, interval, unitMs) * unitMs, stretches)),
    mapped,
    buckets,
    stretches,
    ...instantsBetween(span.first * unitMs, (span.last + 1) * unitMs, stretches),
    around: instantsBetween(mapped * unitMs, end * unitMs, stretches),
  };
}

/** Returns a calendar with a single bucket, which is named after the first and the last day or hour of the span. */
export function undivided(calendar: Calendar): Calendar {
  const { first, last, unitMs, numbers, ends, buckets } = calendar;
  const ofUnit = unitMs === MS_PER_HOUR ? 'hour' : 'day';
  const label = [...new Set([first, last])].map((unit) => labelOf(unit, ofUnit)).join(' – ');
  return {
    ...calendar,
    numbers: numbers.slice(0, 1),
    labels: numbers.length === 0 ? [] : [label],
    ends: ends.slice(-1),
    buckets: buckets.map(() => 0),
  };
}

/** Returns the bucket of an instant, where 0 is the first of the span. */
export function bucketIn({ stretches, unitMs, mapped, buckets }: Calendar, t: number): number {
  let place = 0;
  // Called for each event, where a closure takes longer.
  while (t >= (stretches[place]?.until ?? Number.POSITIVE_INFINITY)) place++;
  return buckets[Math.floor((t + (stretches[place]?.offset ?? 0)) / unitMs) - mapped] ?? -1;
}

/** Whether an instant is one of some. */
export function includes({ from, to, gaps }: Instants, t: number): boolean {
  return t >= from && t < to && (gaps.length === 0 || !gaps.some((gap) => t >= gap.from && t < gap.to));
}

/** Returns the instants at which local time is between `first` and `last`. */
function instantsBetween(first: number, last: number, stretches: readonly Stretch[]): Instants {
  const parts: { from: number; to: number }[] = [];
  let begin = Number.NEGATIVE_INFINITY;
  for (const { until, offset } of stretches) {
    const part = { from: Math.max(begin, first - offset), to: Math.min(until, last - offset) };
    begin = until;
    const before = parts.at(-1);
    if (part.from >= part.to) continue;
    if (before?.to === part.from) before.to = part.to;
    else parts.push(part);
  }
  return {
    from: parts[0]?.from ?? first,
    to: parts.at(-1)?.to ?? first,
    gaps: parts.slice(1).map((part, index) => ({ from: parts[index]?.to ?? part.from, to: part.from })),
  };
}

/** Returns the number of the interval that contains a unit, counted since 1970. */
export function bucketOf(unit: number, interval: InsightInterval, unitMs: number): number {
  if (interval === 'hour') return unit;
  const day = Math.floor((unit * unitMs) / MS_PER_DAY);
  if (interval === 'day') return day;
  if (interval === 'week') return Math.floor((day + DAYS_SINCE_MONDAY) / DAYS_PER_WEEK);
  const date = new Date(day * MS_PER_DAY);
  return date.getUTCFullYear() * MONTHS_PER_YEAR + date.getUTCMonth();
}

/** Returns the first unit of an interval. */
export function unitOf(bucket: number, interval: InsightInterval, unitMs: number): number {
  if (interval === 'hour') return bucket;
  return firstDayOf(bucket, interval) * (MS_PER_DAY / unitMs);
}

function firstDayOf(bucket: number, interval: Exclude<InsightInterval, 'hour'>): number {
  if (interval === 'day') return bucket;
  if (interval === 'week') return bucket * DAYS_PER_WEEK - DAYS_SINCE_MONDAY;
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(bucket / MONTHS_PER_YEAR), bucket % MONTHS_PER_YEAR, 1);
  return date.getTime() / MS_PER_DAY;
}

function labelOf(bucket: number, interval: InsightInterval): string {
  if (interval === 'hour')
    return new Date(bucket * MS_PER_HOUR).toISOString().slice(0, 'YYYY-MM-DDTHH:00'.length);
  return new Date(firstDayOf(bucket, interval) * MS_PER_DAY).toISOString().slice(0, 'YYYY-MM-DD'.length);
}

function dayNumber(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / MS_PER_DAY;
}

/** Returns the first instant at which local time has reached `local`. */
function instantOf(local: number, stretches: readonly Stretch[]): number {
  let from = Number.NEGATIVE_INFINITY;
  for (const { until, offset } of stretches) {
    const instant = Math.max(local - offset, from);
    if (instant < until) return instant;
    from = until;
  }
  return local;
}

/**
 * Whether clocks show any part of this hour or day. They skip an hour where summer time begins, and a day where a
 * country crosses the date line.
 */
function isOnClocks(unit: number, unitMs: number, stretches: readonly Stretch[]): boolean {
  let from = Number.NEGATIVE_INFINITY;
  return stretches.some(({ until, offset }) => {
    const starts = Math.max(unit * unitMs - offset, from);
    const ends = Math.min((unit + 1) * unitMs - offset, until);
    from = until;
    return starts < ends;
  });
}
