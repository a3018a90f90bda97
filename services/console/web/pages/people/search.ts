import { oneOf, type RawSearch, text } from '../../app/page.ts';

export const SORTS = ['last_seen', 'first_seen'] as const;
export const OPERATORS = ['eq', 'neq', 'contains', 'gte', 'lte', 'is_set', 'is_not_set'] as const;

/** Parses the filters. */
export const search = (raw: RawSearch) => ({
  search: text(raw['search']),
  cohort: text(raw['cohort']),
  sort: oneOf(SORTS, raw['sort']),
  trait: text(raw['trait']),
  op: oneOf(OPERATORS, raw['op']),
  value: text(raw['value']),
});

export type PeopleSearch = ReturnType<typeof search>;

/** Returns the clauses of the filters as the API takes them; undefined while the filter is incomplete. */
export function whereOf({ trait, op = 'eq', value }: PeopleSearch): string | undefined {
  if (trait === undefined) return undefined;
  if (op === 'is_set' || op === 'is_not_set') return JSON.stringify([{ attribute: trait, op }]);
  if (value === undefined) return undefined;
  const number = Number(value);
  const typed = op === 'gte' || op === 'lte' ? number : value;
  return Number.isNaN(typed) ? undefined : JSON.stringify([{ attribute: trait, op, value: typed }]);
}
