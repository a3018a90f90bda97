import type { Clause, InsightClause } from '@switchboard/contracts';
import type { Dialect } from '../engine/dialect.ts';
import { allOf, anyOf, FALSE, type Sql, sql, texts } from '../engine/sql.ts';
import { clausesIn } from './clauses.ts';

/** Who belongs to a cohort: those it lists, and those who fulfil every clause of a match that is not empty. */
export interface Cohort {
  match: readonly Clause[];
  distinctIds: readonly string[];
}

const GROUP_ATTRIBUTE = /^group\.([^.]+)\.(.+)$/s;
const TRAIT_PREFIX = 'trait.';

/** What an attribute of a question reads of the person: a trait, or a trait of their group of a type. */
export function personPart(name: string): { type: string | undefined; trait: string } | undefined {
  if (name.startsWith(TRAIT_PREFIX)) return { type: undefined, trait: name.slice(TRAIT_PREFIX.length) };
  const [, type, trait] = GROUP_ATTRIBUTE.exec(name) ?? [];
  return type === undefined || trait === undefined ? undefined : { type, trait };
}

/** The attribute of a question that a cohort's clause is about: flags name traits without a prefix. */
export function attributeOf({ attribute }: Clause): string {
  const isPlain = attribute === 'distinct_id' || GROUP_ATTRIBUTE.test(attribute);
  return isPlain ? attribute : `${TRAIT_PREFIX}${attribute}`;
}

export function isAboutCohorts({ op }: Pick<InsightClause, 'op'>): boolean {
  return op === 'in_cohort' || op === 'not_in_cohort';
}

/** The cohorts that a clause about cohorts names; undefined where its value names none, so that nobody fulfils it. */
export function cohortsIn({ value }: Pick<InsightClause, 'value'>): string[] | undefined {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : undefined;
}

/** Whether somebody belongs to a cohort. `attribute` is the SQL of what its clauses are about. */
export function belongsTo(
  dialect: Dialect,
  { match, distinctIds }: Cohort,
  distinctId: Sql,
  attribute: (name: string) => Sql,
): Sql {
  const fulfils = clausesIn(dialect);
  const isMatched =
    match.length === 0 || match.some(isAboutCohorts)
      ? FALSE
      : allOf(match.map((clause) => fulfils(clause, attribute(attributeOf(clause)))));
  if (distinctIds.length === 0) return isMatched;
  return anyOf([sql`${distinctId} in (${dialect.rowsOf(texts(distinctIds))})`, isMatched]);
}
