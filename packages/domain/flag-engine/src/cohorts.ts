import { type ClauseTest, compileClauses, matchesAll } from './clauses/clauses.ts';
import type { Clause, Cohort, Person, User } from './types.ts';

/** Cohorts compiled for many users. */
export interface CompiledCohorts {
  readonly matched: readonly { readonly id: string; readonly tests: readonly ClauseTest[] }[];
  readonly listed: ReadonlyMap<string, readonly string[]>;
}

const noCohorts: ReadonlySet<string> = new Set();

/**
 * Compiles cohorts, once per change. A cohort contains only its listed people if its `match` is empty, malformed or
 * refers to a cohort.
 */
export function compileCohorts(cohorts: readonly Cohort[]): CompiledCohorts {
  const listed = new Map<string, string[]>();
  const matched: { id: string; tests: readonly ClauseTest[] }[] = [];
  for (const { id, match, distinctIds } of cohorts) {
    for (const distinctId of distinctIds ?? []) {
      const ids = listed.get(distinctId);
      if (ids === undefined) listed.set(distinctId, [id]);
      else ids.push(id);
    }
    const tests = compileClauses(match);
    if (tests === undefined || tests.length === 0 || match?.some(refersToCohort)) continue;
    matched.push({ id, tests });
  }
  return { matched, listed };
}

/** Returns the ids of the cohorts a person belongs to, sorted by UTF-16 code units. */
export function memberships(cohorts: CompiledCohorts, person: Person): string[] {
  const user: User = { ...person, cohorts: noCohorts };
  const ids = new Set(cohorts.listed.get(person.distinctId));
  for (const { id, tests } of cohorts.matched) if (matchesAll(tests, user)) ids.add(id);
  return [...ids].sort();
}

export function refersToCohort(clause: Clause): boolean {
  return clause.op === 'in_cohort' || clause.op === 'not_in_cohort';
}
