import type { Clause } from '@switchboard/management';

export const OPERATORS = [
  'eq',
  'neq',
  'in',
  'not_in',
  'contains',
  'contains_any',
  'gt',
  'gte',
  'lt',
  'lte',
  'is_set',
  'is_not_set',
  'in_cohort',
  'not_in_cohort',
] as const;

/** `contains_any` is `contains` with a list. */
type Operator = (typeof OPERATORS)[number];

/** A condition while it is edited. `value` is what the person typed. */
export interface ClauseDraft {
  attribute: string;
  op: Operator;
  value: string;
  /** The clause as it was saved, until it is edited. It may have a value that cannot be typed. */
  saved?: Clause | undefined;
}

const LISTS = new Set<Operator>(['in', 'not_in', 'contains_any', 'in_cohort', 'not_in_cohort']);
const WITHOUT_VALUE = new Set<Operator>(['is_set', 'is_not_set']);
export const hasValue = (op: Operator): boolean => !WITHOUT_VALUE.has(op);
export const isAboutCohorts = (op: Operator): boolean => op === 'in_cohort' || op === 'not_in_cohort';

/** Returns the clauses that are complete. Numbers, true and false are sent as such; quotes keep a text. */
export function clausesOf(drafts: readonly ClauseDraft[]): Clause[] {
  return drafts.flatMap(({ attribute: typed, op, value, saved }): Clause[] => {
    if (saved !== undefined) return [saved];
    // The person of the event is in the cohort, so the attribute has no effect.
    const attribute = isAboutCohorts(op) ? 'distinct_id' : typed;
    if (attribute === '') return [];
    if (op === 'is_set' || op === 'is_not_set') return [{ attribute, op }];
    if (value === '') return [];
    if (op === 'contains_any') return [{ attribute, op: 'contains', value: listOf(value).map(textOf) }];
    if (isAboutCohorts(op)) return [{ attribute, op, value: listOf(value).map(textOf) }];
    if (LISTS.has(op)) return [{ attribute, op, value: listOf(value).map(parsed) }];
    return [{ attribute, op, value: op === 'contains' ? value : parsed(value) }];
  });
}

/** Returns the values of a list that commas divide. Quotes keep a comma. */
const listOf = (typed: string): string[] =>
  (typed.match(/\s*"[^"]*"\s*|[^,]+/g) ?? []).map((part) => part.trim()).filter((part) => part !== '');

const textOf = (typed: string): string => (/^".*"$/.test(typed) ? typed.slice(1, -1) : typed);

function parsed(typed: string): string | number | boolean {
  if (typed === 'true' || typed === 'false') return typed === 'true';
  if (/^-?(0|[1-9]\d{0,14})(\.\d{1,12})?$/.test(typed)) return Number(typed);
  return textOf(typed);
}

function typedOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => quoted(one)).join(', ');
  if (value === undefined) return '';
  if (typeof value !== 'string') return JSON.stringify(value);
  return typeof parsed(value) === 'string' && textOf(value) === value ? value : `"${value}"`;
}

const quoted = (value: unknown): string =>
  typeof value === 'string' && value.includes(',') ? `"${value}"` : typedOf(value);

/** Returns the form in which clauses are edited. */
export const clauseDrafts = (clauses: readonly Clause[] = []): ClauseDraft[] =>
  clauses.map(({ attribute, op, value }) => {
    const isText = op === 'contains' && typeof value === 'string';
    const isList = op === 'contains' && Array.isArray(value);
    return { attribute, op: isList ? 'contains_any' : op, value: isText ? value : typedOf(value) };
  });
