import { types } from 'node:util';

const DATE = /^\d{4}-\d\d-\d\d/;

/**
 * Converts a `Date`, an ISO 8601 text or milliseconds since 1970 to an ISO 8601 text. Returns undefined for anything
 * else.
 */
export function timeOf(value: unknown): string | undefined {
  if (typeof value === 'string') return isCalendarDay(value) ? textOf(new Date(value)) : undefined;
  if (typeof value === 'number') return textOf(new Date(value));
  return types.isDate(value) ? textOf(value) : undefined;
}

function textOf(date: Date): string | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** `Date` parses the 30th of February as the 2nd of March. */
function isCalendarDay(text: string): boolean {
  const [day] = DATE.exec(text) ?? [];
  return day !== undefined && textOf(new Date(`${day}T00:00:00Z`))?.startsWith(day) === true;
}
