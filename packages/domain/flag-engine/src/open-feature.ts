import { ruleOf } from './evaluate.ts';
import type { FlagDefinition } from './parse.ts';
import type { CompiledFlag, CompiledRule, Ruleset } from './ruleset.ts';
import type { Decision, User } from './types.ts';

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
  /** The name or path of the rule that decided. Undefined if none did. */
  readonly rule: string | undefined;
}

/**
 * Converts a decision of `evaluateFlag` or `decideAll` for a user to the terms of OpenFeature. The reason is `SPLIT` if the
 * person's hash decided, `TARGETING_MATCH` if only clauses or prerequisites did, `STATIC` if everyone gets the same,
 * and `DEFAULT` if clauses or prerequisites turned the flag off.
 */
export function resolve(ruleset: Ruleset, decision: Decision, user: User): Resolution {
  const { key, served, value, reason } = decision;
  const flag = ruleset.flags[ruleset.positions.get(key) ?? -1];
  const rule = ruleOf(ruleset, decision, user);
  return {
    value: reason === 'ERROR' ? undefined : (value ?? undefined),
    variant: served,
    reason: reasonOf(decision, flag, rule),
    rule: rule?.label,
  };
}

function reasonOf(
  { reason }: Decision,
  flag: CompiledFlag | undefined,
  rule: CompiledRule | undefined,
): OpenFeatureReason {
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
      return flag?.definition === undefined ? 'STATIC' : matchReason(flag, flag.definition, rule);
  }
}

/** The rules before the one that decided missed the person, by a clause or by the hash, so they count too. */
function matchReason(
  { rules, variations, prerequisites }: CompiledFlag,
  own: FlagDefinition,
  rule: CompiledRule | undefined,
): OpenFeatureReason {
  const asked = rule === undefined ? [...rules, own] : rules.slice(0, rules.indexOf(rule) + 1);
  const isByWeight = rule?.variation === undefined && variations.length > 1;
  if (isByWeight || asked.some(({ rolloutPercentage }) => rolloutPercentage < 100)) return 'SPLIT';
  const hasClauses = asked.some(({ targeting }) => targeting.length > 0);
  return hasClauses || prerequisites.length > 0 ? 'TARGETING_MATCH' : 'STATIC';
}
