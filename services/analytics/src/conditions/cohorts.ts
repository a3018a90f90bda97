import type { Clause, InsightClause } from '@switchboard/contracts';
import type { Dialect } from '../engine/dialect.ts';
import { allOf, anyOf, FALSE, type Sql, sql, texts } from '../engine/sql.ts';
import { attributeText } from './attributes.ts';
import { clausesIn } from './clauses.ts';

/** Who belongs to a cohort: those it lists, and those who fulfil every clause of a match that is not empty. */
export interface Cohort {
  match: readonly Clause[];
  distinctIds: readonly string[];
}

/** As flags read it: a type has no dot. */
const GROUP_OF_FLAGS = /^group\.([^.]+)\.(.+)$/s;

/** The attribute of a question that a cohort's clause is about: flags name traits without a prefix. */
export function attributeOf({ attribute }: Clause): string {
  if (attribute === 'distinct_id') return attribute;
  const [, type, name] = GROUP_OF_FLAGS.exec(attribute) ?? [];
  return type === undefined || name === undefined
    ? attributeText({ of: 'trait', name: attribute })
    : attributeText({ of: 'group', type, name });
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
