const RFC3339 =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Returns whether a text is an RFC 3339 date-time of a real calendar day, with at most nine fractional digits. */
export function isRfc3339(value: string): boolean {
  if (isUsual(value)) return true;
  if (!RFC3339.test(value)) return false;
  // Every month has the days 1 to 28.
  return value.charCodeAt(8) < 0x32 || dayExists(value);
}

const FIRST_MS = Date.parse('0001-01-01T00:00:00.000Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Returns why a text is not an RFC 3339 date-time in the years 0001 to 9999 of UTC, which databases can store.
 * Undefined if it is one. Leap seconds must be replaced first: see `withoutLeapSecond`.
 */
export function rfc3339Fault(value: string): string | undefined {
  if (isUsual(value)) return undefined;
  if (!isRfc3339(value)) return 'not an RFC 3339 date-time';
  const ms = Date.parse(value);
  return ms >= FIRST_MS && ms <= LAST_MS ? undefined : 'before the year 0001 or after 9999 in UTC';
}

const LEAP_SECOND = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:60/;
const SECOND_BEFORE_MIDNIGHT = /T23:59:59/;

/**
 * Replaces a leap second, which neither `Date` nor PostgreSQL can represent, by the second before it. Does not change
 * any other text, nor second 60 of a minute other than the last of a UTC day.
 */
export function withoutLeapSecond(value: string): string {
  if (!LEAP_SECOND.test(value)) return value;
  const before = `${value.slice(0, 17)}59${value.slice(19)}`;
  if (rfc3339Fault(before) !== undefined) return value;
  return SECOND_BEFORE_MIDNIGHT.test(new Date(before).toISOString()) ? before : value;
}

const USUAL_LENGTH = '2026-03-01T09:30:00.000Z'.length;
const DASH = 0x2d;
const COLON = 0x3a;

/**
 * Returns true if the text is certainly a date-time in JavaScript's format. It takes a fifth of the time of the
 * pattern and runs for every event.
 */
function isUsual(value: string): boolean {
  if (value.length !== USUAL_LENGTH || value.charCodeAt(4) !== DASH || value.charCodeAt(7) !== DASH)
    return false;
  if (value.charCodeAt(13) !== COLON || value.charCodeAt(16) !== COLON) return false;
  if (value.charAt(10) !== 'T' || value.charAt(19) !== '.' || value.charAt(23) !== 'Z') return false;
  const month = number(value, 5, 7);
  const day = number(value, 8, 10);
  const year = number(value, 0, 4);
  return (
    year >= 1 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= 28 &&
    isUpTo(23, number(value, 11, 13)) &&
    isUpTo(59, number(value, 14, 16)) &&
    isUpTo(59, number(value, 17, 19)) &&
    number(value, 20, 23) >= 0
  );
}

const isUpTo = (max: number, value: number): boolean => value >= 0 && value <= max;

/** Returns the number that these digits form, or -1 if one is not a digit. */
function number(text: string, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) {
    const digit = text.charCodeAt(i) - 0x30;
    if (digit < 0 || digit > 9) return -1;
    value = 10 * value + digit;
  }
  return value;
}

function dayExists(value: string): boolean {
  const dayOfMonth = Number(value.slice(8, 10));
  if (dayOfMonth <= 28) return true;
  const year = Number(value.slice(0, 4));
  const month = Number(value.slice(5, 7));
  if (month === 2) return dayOfMonth === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return dayOfMonth <= 30 || ![4, 6, 9, 11].includes(month);
}
