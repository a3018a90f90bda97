import type { FlagEntry } from '@switchboard/contracts';
import {
  type CompiledCohorts,
  type Ruleset as CompiledFlags,
  compileCohorts,
  compileRuleset,
} from '@switchboard/flag-engine';
import type { StoredRuleset } from './store.ts';

/** A project's flags and cohorts, ready to be evaluated. Nothing in it changes. */
export interface Ruleset {
  /** RFC 3339, UTC, milliseconds: the last change. */
  readonly changedAt: string;
  /** By key. */
  readonly flags: readonly FlagEntry[];
  readonly compiled: CompiledFlags;
  /** Without the people that cohorts name: those are read with the user state. */
  readonly cohorts: CompiledCohorts;
  /** Whether a flag asks for a cohort, so that evaluation has to look for memberships. */
  readonly asksForCohorts: boolean;
  /** Length of the definitions as JSON. */
  readonly size: number;
}

export function prepareRuleset({ changedAt, flags, cohorts }: StoredRuleset): Ruleset {
  return {
    changedAt,
    flags,
    compiled: compileRuleset(flags),
    cohorts: compileCohorts(cohorts.map(({ id, match }) => ({ id, match: match ?? [] }))),
    asksForCohorts: flags.some(({ targeting }) => targeting?.some(({ op }) => op.endsWith('in_cohort'))),
    size: JSON.stringify([flags, cohorts]).length,
  };
}
