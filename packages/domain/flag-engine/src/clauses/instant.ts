// Not Date.parse: it differs between runtimes and parses times without an offset in the local time zone, but a
// flag must evaluate the same everywhere.
const INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(\.\d+)?)?(?:Z|([+-])(\d{2}):?(\d{2})))?$/;

/**
 * Returns the milliseconds since 1970 of an ISO 8601 string: a day (`2026-03-01`, midnight UTC) or a date and time
 * with an offset (`2026-03-01T09:30Z`, `...T09:30:00.25+02:00`, also `+0200`). Returns `undefined` for a time without
 * an offset, a day that does not exist, 24:00 and second 60.
 */
export function parseInstant(value: unknown): number | undefined {
  const match = typeof value === 'string' ? INSTANT.exec(value) : null;
  if (match === null) return undefined;
  const part = (index: number) => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const [offsetHour, offsetMinute] = [part(9), part(10)];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59 || offsetHour > 23 || offsetMinute > 59) return undefined;
  const offset = (offsetHour * 60 + offsetMinute) * (match[8] === '-' ? -1 : 1);
  const minutes = (daysSince1970(year, month, day) * 24 + hour) * 60 + minute - offset;
  return minutes * 60_000 + second * 1000 + part(7) * 1000;
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/**
 * Computes the days since 1970 in the Gregorian calendar, with years that begin in March so that the leap day is
 * last.
 */
function daysSince1970(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  return marchYear * 365 + leapDays + dayOfYear - 719_468;
}
