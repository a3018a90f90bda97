const RFC3339 =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Whether a text is an RFC 3339 date-time of a real calendar day with at most nine fractional digits. Leap seconds
 * are rejected because neither `Date` nor PostgreSQL can represent them.
 */
export function isRfc3339(value: string): boolean {
  if (!RFC3339.test(value)) return false;
  // Every month has the days 1 to 28.
  return value.charCodeAt(8) < 0x32 || dayExists(value);
}

function dayExists(value: string): boolean {
  const dayOfMonth = Number(value.slice(8, 10));
  if (dayOfMonth <= 28) return true;
  const year = Number(value.slice(0, 4));
  const month = Number(value.slice(5, 7));
  if (month === 2) return dayOfMonth === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return dayOfMonth <= 30 || ![4, 6, 9, 11].includes(month);
}
