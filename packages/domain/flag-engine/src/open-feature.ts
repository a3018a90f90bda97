import type { CompiledFlag, Ruleset } from './ruleset.ts';
import type { Decision } from './types.ts';

/** The OpenFeature reasons that an evaluation can have. */
export type OpenFeatureReason = 'STATIC' | 'TARGETING_MATCH' | 'SPLIT' | 'DEFAULT' | 'DISABLED' | 'ERROR';

/** A decision in the terms of OpenFeature. */
export interface Resolution {
  /**
   * `false` if a flag of type boolean or without a type is off. Undefined if the caller's default applies: a flag
   * of another type is off, the flag cannot be evaluated, or its variation has the value `null`.
   */
  readonly value: unknown;
  /** The key of the variation, or `on` or `off`. */
  readonly variant: string;
  readonly reason: OpenFeatureReason;
}

/**
 * Converts a decision of `evaluateFlag` or `decideAll` to the terms of OpenFeature. The reason is `SPLIT` if the
 * person's hash decided, `TARGETING_MATCH` if only clauses or prerequisites did, `STATIC` if everyone gets the same,
 * and `DEFAULT` if clauses or prerequisites turned the flag off.
 */
export function resolve(ruleset: Ruleset, decision: Decision): Resolution {
  const { key, served, value, reason } = decision;
  const flag = ruleset.flags[ruleset.positions.get(key) ?? -1];
  return {
    value: reason === 'ERROR' ? undefined : (value ?? undefined),
    variant: served,
    reason: reasonOf(decision, flag),
  };
}

function reasonOf({ reason }: Decision, flag: CompiledFlag | undefined): OpenFeatureReason {
  switch (reason) {
    case 'DISABLED':
    case 'ERROR':
      return reason;
    case 'TARGETING_MISS':
    case 'PREREQUISITE_FAILED':
      return 'DEFAULT';
    case 'ROLLOUT_MISS':
      return 'SPLIT';
    case 'MATCH':
      if (flag?.definition === undefined) return 'STATIC';
      if (flag.definition.rolloutPercentage < 100 || flag.variations.length > 1) return 'SPLIT';
      return flag.definition.targeting.length + flag.prerequisites.length > 0 ? 'TARGETING_MATCH' : 'STATIC';
  }
}
