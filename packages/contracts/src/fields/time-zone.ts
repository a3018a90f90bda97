import { text } from './fields.ts';

/** The IANA name of a time zone. */
export const timeZone = text({ min: 1, max: 100 }).refine(isTimeZone, 'not an IANA time zone');

/**
 * Returns whether a text is the name of a time zone. An offset such as +02:00 is not, although `Intl` accepts
 * it.
 */
function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
