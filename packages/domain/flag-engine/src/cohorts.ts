import { type ClauseTest, compileClauses, isCohortClause, matchesAll } from './clauses/clauses.ts';
import type { Cohort, Person, User } from './types.ts';

/** Cohorts compiled for many users. */
export interface CompiledCohorts {
  readonly matched: readonly MatchedCohort[];
  readonly listed: ReadonlyMap<string, readonly string[]>;
}

interface MatchedCohort {
  readonly id: string;
  /** Empty only with `did`. */
  readonly tests: readonly ClauseTest[];
  readonly did: Cohort['did'];
}

const noCohorts: ReadonlySet<string> = new Set();

/**
 * Compiles cohorts, once per change. A cohort contains only its listed people if its `match` is empty, malformed or
 * refers to a cohort.
 */
export function compileCohorts(cohorts: readonly Cohort[]): CompiledCohorts {
  const listed = new Map<string, string[]>();
  const matched: MatchedCohort[] = [];
  for (const { id, match, distinctIds, did } of cohorts) {
    for (const distinctId of distinctIds ?? []) {
      const ids = listed.get(distinctId);
      if (ids === undefined) listed.set(distinctId, [id]);
      else ids.push(id);
    }
    const tests = compileClauses(match ?? []);
    const isEmpty = tests?.length === 0 && did === undefined;
    if (tests === undefined || isEmpty || match?.some(isCohortClause)) continue;
    matched.push({ id, tests, did });
  }
  return { matched, listed };
}

/**
 * Returns the ids of the cohorts a person belongs to, sorted by UTF-16 code units. `did` has the ids of the cohorts
 * that have the person in their computed list.
 */
export function memberships(cohorts: CompiledCohorts, person: Person, did: readonly string[] = []): string[] {
  const user: User = { ...person, cohorts: noCohorts };
  const ids = new Set(cohorts.listed.get(person.distinctId));
  const listed = new Set(did);
  for (const cohort of cohorts.matched) if (isMember(cohort, user, listed)) ids.add(cohort.id);
  return [...ids].sort();
}

function isMember({ id, tests, did }: MatchedCohort, user: User, listed: ReadonlySet<string>): boolean {
  if (did === 'any' && listed.has(id)) return true;
  if (did === 'all' && !listed.has(id)) return false;
  return tests.length === 0 ? did === 'all' : matchesAll(tests, user);
}
