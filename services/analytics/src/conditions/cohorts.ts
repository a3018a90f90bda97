import type { Clause, Combination, InsightClause } from '@switchboard/contracts';
import type { Dialect } from '../engine/dialect.ts';
import { allOf, anyOf, FALSE, type Sql, sql, texts } from '../engine/sql.ts';
import { attributeText } from './attributes.ts';

/**
 * The definition of a cohort. Its members are the people it lists, and those who fulfill every clause of a non-empty
 * match. With `did`, its computed list and the match are combined.
 */
export interface Cohort {
  match: readonly Clause[];
  distinctIds: readonly string[];
  /** `members` is a query of persons. */
  did?: { combine: Combination; members: Sql } | undefined;
}

/** A group attribute as flags read it: the type has no dot. */
const GROUP_OF_FLAGS = /^group\.([^.]+)\.(.+)$/s;

/** Returns the query attribute for a cohort's clause. Flags name traits without a prefix. */
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

/** Returns the cohorts that a clause names, or undefined if its value names none: such a clause matches no one. */
export function cohortsIn({ value }: Pick<InsightClause, 'value'>): string[] | undefined {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : undefined;
}

/** Returns the SQL of whether an attribute of an event fulfills a clause. */
export type TestAttribute = (clause: InsightClause) => Sql;

interface PersonTests {
  test: TestAttribute;
  /** Whether a query of ids has any id of the person. */
  isAnyOf(ids: Sql): Sql;
}

/** Whether the person of an event belongs to a cohort. */
export function belongsTo(
  dialect: Dialect,
  { match, distinctIds, did }: Cohort,
  { test, isAnyOf }: PersonTests,
): Sql {
  const hasClauses = match.length > 0;
  const isMatched =
    match.length === 0 || match.some(isAboutCohorts)
      ? FALSE
      : allOf(match.map((clause) => test({ ...clause, attribute: attributeOf(clause) })));
  const isListed = did === undefined ? [] : [sql`p in (${did.members})`];
  const isMember =
    did?.combine === 'all'
      ? allOf([...isListed, ...(hasClauses ? [isMatched] : [])])
      : anyOf([...isListed, ...(hasClauses || did === undefined ? [isMatched] : [])]);
  if (distinctIds.length === 0) return isMember;
  return anyOf([isAnyOf(dialect.rowsOf(texts(distinctIds))), isMember]);
}
