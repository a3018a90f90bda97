import type { FlagEntry } from '@switchboard/contracts';
import {
  type CompiledCohorts,
  type Ruleset as CompiledFlags,
  compileCohorts,
  compileRuleset,
} from '@switchboard/flag-engine';
import type { StoredRuleset } from './store.ts';

/** A project's flags and cohorts, compiled for evaluation. Immutable. */
export interface Ruleset {
  /** The last change: RFC 3339, UTC, milliseconds. */
  readonly changedAt: string;
  /** Sorted by key. */
  readonly flags: readonly FlagEntry[];
  readonly compiled: CompiledFlags;
  /** Without the people that cohorts list: those are read with the user state. */
  readonly cohorts: CompiledCohorts;
  /** Whether any flag targets a cohort, so that evaluation needs memberships. */
  readonly usesCohorts: boolean;
  /** Estimated memory in bytes, including the snapshot derived from it. */
  readonly bytes: number;
}

// Measured with Node 24 for rulesets of several shapes.
const RULESET_BYTES = 1000;
const FLAG_BYTES = 1200;
const CLAUSE_BYTES = 900;
const BYTES_PER_JSON_BYTE = 6;

export function compile({ changedAt, flags, cohorts }: StoredRuleset): Ruleset {
  return {
    changedAt,
    flags,
    compiled: compileRuleset(flags),
    cohorts: compileCohorts(cohorts.map(({ id, match }) => ({ id, match: match ?? [] }))),
    usesCohorts: flags.some(({ targeting }) => targeting?.some(({ op }) => op.endsWith('in_cohort'))),
    bytes: estimateBytes(flags, cohorts),
  };
}

function estimateBytes(flags: StoredRuleset['flags'], cohorts: StoredRuleset['cohorts']): number {
  const clauses = [
    ...flags.map(({ targeting }) => targeting?.length ?? 0),
    ...cohorts.map(({ match }) => match?.length ?? 0),
  ].reduce((sum, count) => sum + count, 0);
  const json = JSON.stringify([flags, cohorts]).length;
  return RULESET_BYTES + FLAG_BYTES * flags.length + CLAUSE_BYTES * clauses + BYTES_PER_JSON_BYTE * json;
}
