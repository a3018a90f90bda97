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
  /** Length of the definitions as JSON. */
  readonly size: number;
}

export function compile({ changedAt, flags, cohorts }: StoredRuleset): Ruleset {
  return {
    changedAt,
    flags,
    compiled: compileRuleset(flags),
    cohorts: compileCohorts(cohorts.map(({ id, match }) => ({ id, match: match ?? [] }))),
    usesCohorts: flags.some(({ targeting }) => targeting?.some(({ op }) => op.endsWith('in_cohort'))),
    size: JSON.stringify([flags, cohorts]).length,
  };
}
