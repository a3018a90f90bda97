import type { Texts } from './texts.ts';

export interface Formats {
  time(at: number): string;
  moment(at: number): string;
  /** Formats the elapsed time in the largest unit. */
  ago(at: number, now: number): string;
  /** Formats a day: today, yesterday, or the date. */
  day(at: number, now: number): string;
  /** Formats a time, with its day unless it is today. */
  next(at: number, now: number): string;
  number(value: number): string;
  bytes(value: number): string;
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];
const DAY_MS = 86_400_000;

/** Creates formats of dates and numbers in the visitor's language and time zone. */
export function createFormats({ tag, today, yesterday, now: justNow }: Texts): Formats {
  const dates = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(tag, options);
  const time = { hour: 'numeric', minute: '2-digit' } as const;
  const times = dates(time);
  const moments = dates({ day: 'numeric', month: 'short', ...time });
  const days = dates({ weekday: 'long', day: 'numeric', month: 'long' });
  const years = dates({ day: 'numeric', month: 'long', year: 'numeric' });
  const next = dates({ weekday: 'short', ...time });
  const relative = new Intl.RelativeTimeFormat(tag, { style: 'short', numeric: 'auto' });
  const numbers = new Intl.NumberFormat(tag);
  const kilobytes = new Intl.NumberFormat(tag, { style: 'unit', unit: 'kilobyte' });
  return {
    time: (at) => times.format(at),
    moment: (at) => moments.format(at),
    ago(at, now) {
      const seconds = (now - at) / 1000;
      const [unit, length] = UNITS.find(([, of]) => seconds >= of) ?? [];
      return unit === undefined || length === undefined
        ? justNow
        : relative.format(-Math.floor(seconds / length), unit);
    },
    day(at, now) {
      if (isSameDay(at, now)) return today;
      if (isSameDay(at, now - DAY_MS)) return yesterday;
      return (new Date(at).getFullYear() === new Date(now).getFullYear() ? days : years).format(at);
    },
    next: (at, now) => (isSameDay(at, now) ? times : next).format(at),
    number: (value) => numbers.format(value),
    bytes: (value) => kilobytes.format(Math.max(1, Math.round(value / 1000))),
  };
}

export const isSameDay = (a: number, b: number) => new Date(a).toDateString() === new Date(b).toDateString();
