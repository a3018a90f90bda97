import type { InsightInterval, InsightRange, TrendsQuery } from '@switchboard/contracts';
import {
  bucketOf,
  type Calendar,
  calendarOf,
  MS_PER_HOUR,
  type Span,
  spanOf,
  UnusableRange,
  undivided,
  unitOf,
} from './calendar.ts';

/** The period that a query compares its range with. */
export interface Previous {
  calendar: Calendar;
  /** For each bucket of the range, the index of the previous bucket that it is compared with, if any. */
  places: (number | undefined)[];
  /** Whether each bucket of the previous period is compared with a bucket of the range. */
  isComplete: boolean;
}

interface Compared {
  range: InsightRange;
  interval: InsightInterval;
  timeZone: string;
  /** The calendar of the range. */
  calendar: Calendar;
}

const FROM_SHORT_TO_LONG: readonly InsightInterval[] = ['hour', 'day', 'week', 'month'];
const HOURS: Record<Exclude<InsightInterval, 'month'>, number> = { hour: 1, day: 24, week: 168 };

/** Returns the period that a question compares its range with. Throws UnusableRange. */
export function comparedOf(compare: NonNullable<TrendsQuery['compare']>, compared: Compared): Previous {
  return compare === 'previous' ? previousOf(compared) : fromDay(compare.from, compared);
}

/** Returns a compared period as a single bucket. */
export const undividedPrevious = ({ calendar }: Previous): Previous => ({
  calendar: undivided(calendar),
  places: [0],
  isComplete: true,
});

/** Compares intervals in order with those of a period of the same length. */
function fromDay(day: string, { interval, timeZone, calendar }: Compared): Previous {
  const { first, last, unitMs } = calendar;
  // Hours if the range is of hours.
  const ofHours = unitMs === MS_PER_HOUR ? 'hour' : 'day';
  const start = spanOf({ from: day, to: day }, ofHours, timeZone, 0).first;
  if (start >= first) throw new UnusableRange('compare.from: not before the range; use an earlier day');
  const before = calendarOf({
    span: { unitMs, first: start, last: start + last - first },
    interval,
    timeZone,
  });
  const length = before.numbers.length;
  const places = calendar.numbers.map((_, index) => (index < length ? index : undefined));
  return { calendar: before, places, isComplete: length <= places.length };
}

/**
 * Moves the range back by the fewest whole steps that avoid an overlap. A step is an interval, or the unit of the
 * range if that is longer. Each bucket is thus compared with one of the same hours, weekdays or days of the month.
 */
export function previousOf({ range, interval, timeZone, calendar }: Compared): Previous {
  const step = stepOf(range, calendar, interval);
  const move = step === 'month' ? monthsBack(calendar) : back(calendar, step);
  const before = calendarOf({
    span: { ...calendar, first: move.first, last: move.last },
    interval,
    timeZone,
  });
  // Weeks have no fixed place in a month, so they are compared in order.
  const isInOrder = step === 'month' && interval === 'week';
  const placeOf = new Map(before.numbers.map((number, place) => [number, place]));
  const places = calendar.numbers.map((number, index) => {
    if (isInOrder) return index < before.numbers.length ? index : undefined;
    const unit = move.exactly(unitOf(number, interval, calendar.unitMs));
    return unit === undefined ? undefined : placeOf.get(bucketOf(unit, interval, calendar.unitMs));
  });
  const compared = new Set(places);
  return { calendar: before, places, isComplete: before.numbers.every((_, place) => compared.has(place)) };
}

function stepOf(range: InsightRange, span: Span, interval: InsightInterval): InsightInterval {
  const unit = 'unit' in range ? range.unit : isOfWholeMonths(span) ? 'month' : 'day';
  return FROM_SHORT_TO_LONG.indexOf(unit) > FROM_SHORT_TO_LONG.indexOf(interval) ? unit : interval;
}

function isOfWholeMonths({ first, last, unitMs }: Span): boolean {
  return [first, last + 1].every((unit) => startOfMonth(monthOf(unit, unitMs), unitMs) === unit);
}

interface Move {
  first: number;
  last: number;
  /** Returns the unit after the move, or undefined if the target month has no such day. */
  exactly(unit: number): number | undefined;
}

function back({ first, last, unitMs }: Span, step: keyof typeof HOURS): Move {
  const width = (HOURS[step] * MS_PER_HOUR) / unitMs;
  const by = (Math.floor((last - first) / width) + 1) * width;
  return { first: first - by, last: last - by, exactly: (unit) => unit - by };
}

function monthsBack(span: Span): Move {
  const { first, last, unitMs } = span;
  const movedBy = (months: number) => (unit: number) => {
    const month = monthOf(unit, unitMs);
    const moved = unit - startOfMonth(month, unitMs) + startOfMonth(month - months, unitMs);
    return { moved, end: startOfMonth(month - months + 1, unitMs) - 1 };
  };
  const lastBy = (months: number) => {
    const { moved, end } = movedBy(months)(last);
    return isOfWholeMonths(span) ? end : Math.min(moved, end);
  };
  const apart = monthOf(last, unitMs) - monthOf(first, unitMs);
  const months = apart > 0 && lastBy(apart) < first ? apart : apart + 1;
  const exactly = (unit: number) => {
    const { moved, end } = movedBy(months)(unit);
    return moved > end ? undefined : moved;
  };
  const lastDay = movedBy(months)(first).end + 1 - (HOURS.day * MS_PER_HOUR) / unitMs;
  return { first: exactly(first) ?? lastDay, last: lastBy(months), exactly };
}

const monthOf = (unit: number, unitMs: number) => bucketOf(unit, 'month', unitMs);
const startOfMonth = (month: number, unitMs: number) => unitOf(month, 'month', unitMs);
