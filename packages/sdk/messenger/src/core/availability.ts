import { isObject, listOf, textOf } from './values.ts';

export interface Presence {
  /** Whether the team is available now. */
  isHere: boolean;
  /** When the team is available again, if that is within two weeks. */
  from?: Date;
}

interface LocalTime {
  /** The date, such as 2026-03-29. */
  date: string;
  /** The minute of the day. */
  minute: number;
}
type Clock = (at: Date) => LocalTime;
/** The first and the last minute of the day. */
export type Span = [start: number, end: number];
/** The available minutes of each day. The first day is Monday. */
export type Week = Span[][];

export const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const DAY_MINUTES = 1440;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_DAYS_AHEAD = 14;

/**
 * Returns whether the team is available at this moment, by the setting `availability`: `{timezone, hours: {"mon-fri":
 * ["09:00", "18:00"]}}` or `{timezone, days: ["mon", 2], from, to}`, both with `closed: ["2026-12-25"]`. false means
 * never. Anything else, and a day, time or time zone that cannot be parsed, means always.
 */
export function presenceAt(availability: unknown, now: Date): Presence {
  if (availability === false) return { isHere: false };
  if (!isObject(availability)) return { isHere: true };
  const week = weekOf(availability);
  const local = clockIn(textOf(availability['timezone']));
  if (week === undefined || local === undefined) return { isHere: true };
  const closed = listOf(availability['closed']);
  const today = local(now);
  for (let ahead = 0; ahead <= MAX_DAYS_AHEAD; ahead += 1) {
    // Uses calendar days, because after days of 23 or 25 hours a moment 24 hours later may be on a different date.
    const day = new Date(Date.parse(today.date) + ahead * DAY_MS);
    const date = day.toISOString().slice(0, 10);
    const spans = closed.includes(date) ? [] : (week[(day.getUTCDay() + 6) % 7] ?? []);
    if (ahead === 0 && spans.some(([start, end]) => start <= today.minute && today.minute < end))
      return { isHere: true };
    const starts = spans.map(([start]) => start).filter((start) => ahead > 0 || start > today.minute);
    if (starts.length > 0) return { isHere: false, from: momentOf(local, now, date, Math.min(...starts)) };
  }
  return { isHere: false };
}

/**
 * Returns the first minute from `now` in which the clock shows this date and minute, or is put forward past
 * them.
 */
function momentOf(local: Clock, now: Date, date: string, minute: number): Date {
  const wanted = shownMs({ date, minute });
  const shownAt = (at: number) => shownMs(local(new Date(at)));
  const offsets = [wanted - DAY_MS, wanted + DAY_MS].map((at) => shownAt(at) - at);
  // With the greater offset it is never too late, even if the clock changes in between.
  let at = Math.max(Math.floor(now.getTime() / MINUTE_MS) * MINUTE_MS, wanted - Math.max(...offsets));
  while (shownAt(at) < wanted) at += MINUTE_MS;
  return new Date(at);
}

/** Returns the time that a clock shows, as if it were UTC. */
const shownMs = ({ date, minute }: LocalTime) => Date.parse(date) + minute * MINUTE_MS;

/** Parses the hours of a week. Returns undefined if a day or a time cannot be parsed. */
export function weekOf({
  hours,
  days,
  from = '00:00',
  to = '24:00',
}: Record<string, unknown>): Week | undefined {
  const given = isObject(hours)
    ? Object.entries(hours).map(([names, spans]) => ({ days: names.split(','), spans }))
    : Array.isArray(days)
      ? [{ days, spans: [from, to] }]
      : undefined;
  if (given === undefined) return undefined;
  const week: Week = DAYS.map(() => []);
  for (const one of given) {
    const spans = spansOf(one.spans);
    for (const name of one.days) {
      const range = daysOf(name);
      if (spans === undefined || range === undefined) return undefined;
      for (const day of range) add(week, day, spans);
    }
  }
  return week;
}

function add(week: Week, day: number, spans: Span[]): void {
  for (const [start, end] of spans) {
    if (end > start) week[day]?.push([start, end]);
    else {
      // The span lasts until the next morning.
      week[day]?.push([start, DAY_MINUTES]);
      if (end > 0) week[(day + 1) % 7]?.push([0, end]);
    }
  }
}

/** Parses `"mon"`, `"mon-fri"`, or 1 (Monday) to 7. */
function daysOf(name: unknown): number[] | undefined {
  if (typeof name === 'number')
    return Number.isInteger(name) && name >= 0 && name <= 7 ? [(name + 6) % 7] : undefined;
  const [first = -1, last = first] = textOf(name)
    .split('-')
    .map((day) => DAYS.indexOf(day.trim().slice(0, 3).toLowerCase()));
  if (first < 0 || last < 0) return undefined;
  return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, index) => (first + index) % 7);
}

/** Parses `["09:00", "18:00"]` or a list of such pairs. An empty list, null and false mean no time. */
function spansOf(given: unknown): Span[] | undefined {
  const list = given === null || given === false ? [] : given;
  if (!Array.isArray(list)) return undefined;
  const pairs: unknown[] = list.every((one) => Array.isArray(one)) ? list : [list];
  const spans = pairs.flatMap((pair): Span[] => {
    const [start, end] = listOf(pair).map(minuteOf);
    return start === undefined || end === undefined ? [] : [[start, end]];
  });
  return spans.length === pairs.length ? spans : undefined;
}

function minuteOf(time: unknown): number | undefined {
  const [, hour, minute] = /^(\d{1,2}):([0-5]\d)$/.exec(textOf(time)) ?? [];
  const value = Number(hour) * 60 + Number(minute);
  return value >= 0 && value <= DAY_MINUTES ? value : undefined;
}

/** Returns the date and minute that a clock in a time zone shows. Undefined for an unknown time zone. */
function clockIn(timeZone: string): Clock | undefined {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZone: timeZone || 'UTC',
    });
  } catch {
    return undefined;
  }
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return {
      minute: Number(parts['hour']) * 60 + Number(parts['minute']),
      date: `${parts['year']}-${parts['month']}-${parts['day']}`,
    };
  };
}
