import { type RawSearch, text } from '../../app/page.ts';

export const DAYS = [7, 30, 90, 365] as const;
export const DEFAULT_DAYS = 30;

/** Parses the query that runs, and how many days of events it reads. */
export const search = (raw: RawSearch) => ({
  q: text(raw['q']),
  days: DAYS.find((days) => String(days) === String(raw['days'])),
});
