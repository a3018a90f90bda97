import {
  type ColumnFormat,
  countryNames,
  type Interval,
  PEOPLE,
  type Table,
} from '@switchboard/report-content';
import { LANGUAGES, type PageLanguage } from '../texts/languages.ts';
import type { PageTexts } from '../texts/texts.ts';

/** The numbers, dates and words of a language. Dates are UTC. */
export interface Locale {
  language: PageLanguage;
  texts: PageTexts;
  number(value: number): string;
  /** Formats a share from 0 to 1 as a percentage with at most one decimal. */
  share(part: number | null | undefined): string;
  /** Formats a value with its unit: `12%`, `1,200 sign-ups`. Returns a dash if there is no value. */
  value(value: number | null | undefined, unit?: string): string;
  /** Formats a unit without a number. */
  unit(unit: string): string;
  /** Formats a table cell. */
  cell(value: number | null | undefined, format: ColumnFormat, unit?: string): string;
  /** Formats a duration in its two largest units: `2 h 5 min`. */
  duration(seconds: number): string;
  day(day: string): string;
  moment(at: Date): string;
  /** Formats the name of a bucket as a date and hour, a date or a month. Returns other names unchanged. */
  bucket(name: string, interval: Interval | undefined): string;
  /** Names a country by its code. Returns other texts unchanged. */
  country(code: string): string;
  /** Formats the name of a table's row, as a bucket or a country. */
  row(name: string, table: Pick<Table, 'interval' | 'hasCountries'>): string;
  /** Formats buckets for an axis, without the parts that all of them share. */
  shortBuckets(names: readonly string[], interval: Interval | undefined): string[];
  /** Formats the ticks of an axis without their unit, with the same number of decimals. Abbreviates long numbers. */
  ticks(values: readonly number[], unit: string): string[];
}

/** The locale of languages in which the format of dates and numbers depends on the country. */
const TAGS: Partial<Record<PageLanguage, string>> = { en: 'en-GB', pt: 'pt-BR' };
/** The languages without a space between a number and its unit. */
const UNSPACED: readonly PageLanguage[] = ['ja'];
const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;
const NONE = '–';

/** Returns the number to display. Churned people are drawn below zero, but their number is positive. */
const shownOf = (value: number, unit: string | undefined) => (unit === PEOPLE ? Math.abs(value) : value);

const COMPACT_FROM = 10_000;

export function createLocale(language: PageLanguage): Locale {
  const tag = TAGS[language] ?? language;
  const texts = LANGUAGES[language];
  const dates = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag, { timeZone: 'UTC', ...options });
  const numbers = new Intl.NumberFormat(tag, { maximumFractionDigits: 2 });
  const percents = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 2 });
  const shares = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 });
  const country = countryNames(tag);
  const plurals = new Intl.PluralRules(tag, { maximumFractionDigits: 2 });
  const date = { day: 'numeric', month: 'short', year: 'numeric' } as const;
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const days = dates(date);
  const moments = dates({ ...date, ...time });
  const months = dates({ month: 'short', year: 'numeric' });
  const short = {
    hour: dates({ day: 'numeric', month: 'short', ...time }),
    day: dates({ day: 'numeric', month: 'short' }),
    month: months,
  };

  const startOf = (bucket: string) =>
    new Date(bucket.includes('T') ? `${bucket}:00Z` : `${bucket}T00:00:00Z`);
  const share = (part: number | null | undefined) =>
    part === null || part === undefined ? NONE : shares.format(part);

  function value(of: number | null | undefined, unit = ''): string {
    if (of === null || of === undefined) return NONE;
    if (unit === '%') return percents.format(of / 100);
    return withUnit(numbers.format(shownOf(of, unit)), of, unit);
  }

  function withUnit(written: string, of: number, unit: string): string {
    if (unit === '') return written;
    if (unit !== PEOPLE) return `${written} ${unit}`;
    const people = texts.people[plurals.select(Math.abs(of))] ?? texts.people.other;
    return `${written}${UNSPACED.includes(language) ? '' : ' '}${people}`;
  }

  function duration(seconds: number): string {
    let left = Math.round(seconds);
    const parts = UNITS.flatMap(([unit, length]) => {
      const count = Math.floor(left / length);
      left -= count * length;
      return count === 0 ? [] : [{ unit, count }];
    });
    const written = parts.length === 0 ? [{ unit: 'second', count: 0 }] : parts.slice(0, 2);
    return written
      .map(({ unit, count }) =>
        new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'short' }).format(count),
      )
      .join(' ');
  }

  function bucket(name: string, interval: Interval | undefined): string {
    if (interval === undefined) return name;
    if (interval === 'hour') return moments.format(startOf(name));
    return (interval === 'month' ? months : days).format(startOf(name));
  }

  return {
    language,
    texts,
    number: (of) => numbers.format(of),
    share,
    value,
    unit: (unit) => (unit === PEOPLE ? texts.people.other : unit),
    cell(of, format, unit) {
      if (of === undefined) return '';
      if (of === null) return NONE;
      if (format === 'share') return share(of);
      if (format === 'seconds') return duration(of);
      if (format === 'count') return numbers.format(of);
      return value(shownOf(of, unit), unit === '%' ? unit : '');
    },
    duration,
    day: (day) => days.format(startOf(day)),
    moment: (at) => `${moments.format(at)} UTC`,
    bucket,
    country,
    row: (name, { interval, hasCountries }) => (hasCountries ? country(name) : bucket(name, interval)),
    shortBuckets(names, interval) {
      if (interval === undefined) return [...names];
      const years = Number(names.at(-1)?.slice(0, 4)) - Number(names[0]?.slice(0, 4));
      if (interval === 'hour') return names.map((name) => short.hour.format(startOf(name)));
      const form = interval === 'month' || years > 1 ? short.month : short.day;
      return names.map((name) => form.format(startOf(name)));
    },
    ticks(values, unit) {
      const largest = Math.max(...values.map(Math.abs));
      const step = Math.abs((values[1] ?? 1) - (values[0] ?? 0)) || 1;
      const decimals = Math.min(Math.max(-Math.floor(Math.log10(step) + 1e-9), 0), 6);
      const zero = new Intl.NumberFormat(tag);
      const others = new Intl.NumberFormat(
        tag,
        largest >= COMPACT_FROM
          ? { notation: 'compact', maximumFractionDigits: 2 }
          : { minimumFractionDigits: decimals, maximumFractionDigits: decimals },
      );
      return values.map((of) => (of === 0 ? zero : others).format(shownOf(of, unit)));
    },
  };
}
