import { isObject, listOf, textOf } from './values.ts';

export interface Presence {
  /** Whether somebody answers now. */
  isHere: boolean;
  /** When somebody is here again, if that is within two weeks. */
  from?: Date;
}

type Span = [start: number, end: number];
/** Minutes of each day on which somebody answers; the first day is Monday. */
type Week = Span[][];

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const DAY_MINUTES = 1440;
const DAY_MS = 86_400_000;
const MAX_DAYS_AHEAD = 14;

/**
 * Whether somebody answers at this moment, by the setting `availability`:
 * `{timezone, hours: {"mon-fri": ["09:00", "18:00"]}}` or `{timezone, days: ["mon", 2], from, to}`, both with
 * `closed: ["2026-12-25"]`. false is never; whatever is none of these is always.
 */
export function presenceAt(availability: unknown, now: Date): Presence {
  if (availability === false) return { isHere: false };
  if (!isObject(availability)) return { isHere: true };
  const week = weekOf(availability);
  if (week === undefined) return { isHere: true };
  const local = clockIn(textOf(availability['timezone']));
  const closed = listOf(availability['closed']);
  const today = local(now);
  const spansOn = (ahead: number) =>
    closed.includes(local(new Date(now.getTime() + ahead * DAY_MS)).date)
      ? []
      : (week[(today.day + ahead) % 7] ?? []);
  if (spansOn(0).some(([start, end]) => start <= today.minute && today.minute < end)) return { isHere: true };
  for (let ahead = 0; ahead <= MAX_DAYS_AHEAD; ahead += 1) {
    const starts = spansOn(ahead)
      .map(([start]) => start)
      .filter((start) => ahead > 0 || start > today.minute);
    if (starts.length === 0) continue;
    const start = Math.min(...starts);
    const from = new Date(now.getTime() + (ahead * DAY_MINUTES + start - today.minute) * 60_000);
    // The clock may have been changed in between.
    const late = ((local(from).minute - start + 1.5 * DAY_MINUTES) % DAY_MINUTES) - DAY_MINUTES / 2;
    return { isHere: false, from: new Date(Math.floor(from.getTime() / 60_000 - late) * 60_000) };
  }
  return { isHere: false };
}

function weekOf(availability: Record<string, unknown>): Week | undefined {
  const { hours, days, from, to } = availability;
  const week: Week = DAYS.map(() => []);
  if (isObject(hours)) {
    for (const [names, given] of Object.entries(hours))
      for (const day of names.split(',').flatMap(daysOf)) add(week, day, spansOf(given));
    return week;
  }
  if (!Array.isArray(days)) return undefined;
  const span: unknown[] = [from ?? '00:00', to ?? '24:00'];
  for (const name of days) for (const day of daysOf(name)) add(week, day, spansOf(span));
  return week;
}

function add(week: Week, day: number, spans: Span[]): void {
  for (const [start, end] of spans) {
    if (end > start) week[day]?.push([start, end]);
    else {
      // Until the next morning.
      week[day]?.push([start, DAY_MINUTES]);
      if (end > 0) week[(day + 1) % 7]?.push([0, end]);
    }
  }
}

/** `"mon"`, `"mon-fri"`, or 1 (Monday) to 7. */
function daysOf(name: unknown): number[] {
  if (typeof name === 'number')
    return Number.isInteger(name) && name >= 0 && name <= 7 ? [(name + 6) % 7] : [];
  const [first = -1, last = first] = textOf(name)
    .split('-')
    .map((day) => DAYS.indexOf(day.trim().slice(0, 3).toLowerCase()));
  if (first < 0 || last < 0) return [];
  return Array.from({ length: ((last - first + 7) % 7) + 1 }, (_, index) => (first + index) % 7);
}

function spansOf(given: unknown): Span[] {
  const list = listOf(given);
  const pairs = list.every((one) => Array.isArray(one)) ? list.map(listOf) : [list];
  return pairs.flatMap(([from, to]): Span[] => {
    const [start, end] = [minuteOf(from), minuteOf(to)];
    return start === undefined || end === undefined ? [] : [[start, end]];
  });
}

function minuteOf(time: unknown): number | undefined {
  const [, hour, minute] = /^(\d{1,2}):(\d\d)$/.exec(textOf(time)) ?? [];
  const value = Number(hour) * 60 + Number(minute);
  return value >= 0 && value <= DAY_MINUTES ? value : undefined;
}

/** The day of the week, minute and date of a moment, as a clock on a wall there shows it. */
function clockIn(timeZone: string): (at: Date) => { day: number; minute: number; date: string } {
  const options = {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  } as const;
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { ...options, timeZone: timeZone || 'UTC' });
  } catch {
    format = new Intl.DateTimeFormat('en-US', { ...options, timeZone: 'UTC' });
  }
  return (at) => {
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
    return {
      day: DAYS.indexOf(textOf(parts['weekday']).toLowerCase()),
      minute: Number(parts['hour']) * 60 + Number(parts['minute']),
      date: `${parts['year']}-${parts['month']}-${parts['day']}`,
    };
  };
}
