/** A record is not one of the source. The message begins with the field. */
export class Refused extends Error {}

const WITH_ZONE = /(?:[zZ]|[+-]\d\d:?\d\d)$/;
const TIME_OF_DAY = /\d\d:\d\d/;
/** Seconds since 1970 are below this number until the year 5138, and milliseconds above it since 1973. */
const FIRST_MILLISECONDS = 100_000_000_000;

/** Returns a time of an export, which is UTC without an offset. Throws Refused. */
export function requireTime(value: unknown, field: string): string {
  const at = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  const time =
    typeof at === 'number'
      ? new Date(at < FIRST_MILLISECONDS ? at * 1_000 : at)
      : typeof at === 'string'
        ? new Date(WITH_ZONE.test(at) || !TIME_OF_DAY.test(at) ? at : `${at.replace(' ', 'T')}Z`)
        : undefined;
  const year = time?.getUTCFullYear() ?? Number.NaN;
  if (time === undefined || !(year >= 1 && year <= 9999)) throw new Refused(`${field}: not a time`);
  return time.toISOString();
}
