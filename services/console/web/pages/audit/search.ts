import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const OUTCOMES = ['allowed', 'refused'] as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Parses the filters and the open entry. `from` and `to` are days, both included. */
export const search = (raw: RawSearch) => ({
  actor: text(raw['actor']),
  action: text(raw['action']),
  object: text(raw['object']),
  outcome: oneOf(OUTCOMES, raw['outcome']),
  from: dayOf(raw['from']),
  to: dayOf(raw['to']),
  open: text(raw['open']),
});

const dayOf = (value: unknown) => {
  const day = text(value) ?? '';
  return DAY.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined;
};

/** Returns the filters as the API takes them: the days in the time zone of the browser, as times. */
export function queryOf({ open, from, to, ...filters }: ReturnType<typeof search>) {
  return { ...filters, from: midnight(from, 0), to: midnight(to, 1) };
}

/** Returns the start of a day, or of the day `later` days after it. */
function midnight(day: string | undefined, later: number): string | undefined {
  if (day === undefined) return undefined;
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}
