import { locale, t } from '../app/i18n.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const MANY = 10_000;

/**
 * A time: relative up to a day, then the date, with the hour in lists where it matters. The exact time is shown on
 * hover.
 */
export function Time({ at, hasHour = false }: { at: string | Date; hasHour?: boolean }) {
  const date = new Date(at);
  const exact = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'long' }).format(date);
  return (
    <time dateTime={date.toISOString()} title={exact}>
      {relative(date, new Date(), hasHour)}
    </time>
  );
}

/** Returns "3 min ago" up to a day, and the date before that. */
export function relative(date: Date, now: Date, hasHour = false): string {
  const seconds = Math.round((now.getTime() - date.getTime()) / 1000);
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'short' });
  const distance = Math.abs(seconds);
  if (distance < MINUTE) return t('now');
  if (distance < HOUR) return format.format(-Math.round(seconds / MINUTE), 'minute');
  if (distance < DAY) return format.format(-Math.round(seconds / HOUR), 'hour');
  const sameYear = date.getFullYear() === now.getFullYear();
  return new Intl.DateTimeFormat(locale(), {
    day: 'numeric',
    month: 'short',
    ...(sameYear ? {} : { year: 'numeric' }),
    ...(hasHour ? { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' as const } : {}),
  }).format(date);
}

/** Returns a number with all its digits. */
export const exact = (value: number): string => new Intl.NumberFormat(locale()).format(value);

/** Returns a number with at most three significant digits from 10,000 on. */
export function short(value: number): string {
  return new Intl.NumberFormat(
    locale(),
    Math.abs(value) < MANY
      ? { maximumFractionDigits: 2 }
      : { notation: 'compact', maximumSignificantDigits: 3 },
  ).format(value);
}

/** A number, shortened from 10,000 on. The exact one is shown on hover. */
export function Count({ value }: { value: number }) {
  return <span title={exact(value)}>{short(value)}</span>;
}

/** Returns a share from 0 to 1 as a percentage with one decimal. */
export const percent = (share: number): string =>
  new Intl.NumberFormat(locale(), {
    style: 'percent',
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  }).format(share);

/** Returns the name of a report's unit. */
export const unitName = (unit: string | undefined): string | undefined =>
  unit === 'people' ? t('people') : unit;

const BUCKET = /^\d{4}-\d\d-\d\d(T\d\d:\d\d)?$/;
const DATE: Intl.DateTimeFormatOptions = { month: 'short', day: 'numeric', timeZone: 'UTC' };
const PARTS: Partial<Record<string, Intl.DateTimeFormatOptions>> = {
  hour: { ...DATE, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  month: { month: 'short', year: 'numeric', timeZone: 'UTC' },
};

/** Returns a day, hour or month of an axis without what the reader knows, such as "Nov 16". Other labels stay. */
export function bucketTick(bucket: string, interval: string | undefined): string {
  if (!BUCKET.test(bucket)) return bucket;
  const isHour = bucket.includes('T');
  const parts = PARTS[isHour ? 'hour' : (interval ?? 'day')] ?? DATE;
  return new Intl.DateTimeFormat(locale(), parts).format(new Date(isHour ? `${bucket}Z` : bucket));
}

/** Returns a duration in its two largest units, such as "3 min 20 s". */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const units: readonly [string, number][] = [
    ['day', Math.floor(seconds / DAY)],
    ['hour', Math.floor((seconds % DAY) / HOUR)],
    ['minute', Math.floor((seconds % HOUR) / MINUTE)],
    ['second', seconds % MINUTE],
  ];
  const first = units.findIndex(([, count]) => count > 0);
  return units
    .slice(first === -1 ? units.length - 1 : first)
    .slice(0, 2)
    .filter(([, count], at) => count > 0 || at === 0)
    .map(([unit, count]) =>
      new Intl.NumberFormat(locale(), { style: 'unit', unit, unitDisplay: 'short' }).format(count),
    )
    .join(' ');
}
