import { matchesAll } from './clauses/clauses.ts';
import { type HashableSuffix, hashableSuffix } from './murmur3.ts';
import { isRolledOut, pickVariation } from './rollout.ts';
import { type CompiledFlag, type CompiledRule, plainDecision, type Ruleset } from './ruleset.ts';
import type { Decision, Reason, User } from './types.ts';

/** The result of each flag, by flag key. The objects have no prototype, so any key is safe. */
export interface Evaluation {
  readonly flags: Record<string, unknown>;
  /** Contains only flags that served a variation. */
  readonly variants: Record<string, string>;
  readonly reasons: Record<string, Reason>;
  /** The rule that decided. Contains only flags for which one did. */
  readonly rules: Record<string, string>;
}

/** Evaluates every flag for a user. Never throws: a flag that cannot be evaluated is off with the reason ERROR. */
export function evaluateAll(ruleset: Ruleset, user: User): Evaluation {
  const evaluation: Evaluation = {
    flags: Object.create(null),
    variants: Object.create(null),
    reasons: Object.create(null),
    rules: Object.create(null),
  };
  for (const decision of decideAll(ruleset, user)) {
    const { key, value, variant, reason } = decision;
    const rule = ruleOf(ruleset, decision, user);
    evaluation.flags[key] = value;
    if (variant !== null) evaluation.variants[key] = variant;
    evaluation.reasons[key] = reason;
    if (rule !== undefined) evaluation.rules[key] = rule.label;
  }
  return evaluation;
}

/** Like `evaluateAll`, but returns one decision per flag in stored order. Faster, because it builds no objects. */
export function decideAll(ruleset: Ruleset, user: User): readonly Decision[] {
  const id = hashableSuffix(user.distinctId);
  // The order includes every position.
  const decisions = new Array<Decision>(ruleset.flags.length);
  for (const position of ruleset.order) {
    const flag = ruleset.flags[position];
    if (flag !== undefined) decisions[position] = decide(flag, decisions, user, id);
  }
  return decisions;
}

/** Evaluates one flag and its prerequisites. `undefined` if no flag has this key. */
export function evaluateFlag(ruleset: Ruleset, key: string, user: User): Decision | undefined {
  const position = ruleset.positions.get(key);
  if (position === undefined) return undefined;
  const id = hashableSuffix(user.distinctId);
  const needed = withPrerequisites(ruleset, position);
  const decisions: Decision[] = [];
  for (const next of needed.size === 1 ? needed : ruleset.order) {
    const flag = ruleset.flags[next];
    if (flag !== undefined && needed.has(next)) decisions[next] = decide(flag, decisions, user, id);
  }
  return decisions[position];
}

/** Returns the rule that decided for a user. Undefined if none did. Never throws. */
export function ruleOf(ruleset: Ruleset, { key, reason }: Decision, user: User): CompiledRule | undefined {
  const flag = ruleset.flags[ruleset.positions.get(key) ?? -1];
  if (reason !== 'MATCH' || flag === undefined || flag.rules.length === 0) return undefined;
  try {
    return findRule(flag, user, hashableSuffix(user.distinctId));
  } catch {
    return undefined;
  }
}

function findRule({ rules, hashes }: CompiledFlag, user: User, id: HashableSuffix): CompiledRule | undefined {
  for (const rule of rules) {
    if (matchesAll(rule.targeting, user) && isRolledOut(rule.rolloutPercentage, hashes, id)) return rule;
  }
  return undefined;
}

function withPrerequisites(ruleset: Ruleset, position: number): ReadonlySet<number> {
  const needed = new Set([position]);
  for (const next of needed) {
    for (const prerequisite of ruleset.flags[next]?.prerequisites ?? []) needed.add(prerequisite.position);
  }
  return needed;
}

/** `decisions` must include those of the flag's prerequisites. */
function decide(
  flag: CompiledFlag,
  decisions: readonly Decision[],
  user: User,
  id: HashableSuffix,
): Decision {
  const { definition, hashes } = flag;
  if (flag.disabled) return plainDecision(flag, 'DISABLED');
  if (definition === undefined) return plainDecision(flag, 'ERROR');
  try {
    for (const { position, served } of flag.prerequisites) {
      if (decisions[position]?.served !== served) return plainDecision(flag, 'PREREQUISITE_FAILED');
    }
    const rule = findRule(flag, user, id);
    if (rule === undefined) {
      if (!matchesAll(definition.targeting, user)) return plainDecision(flag, 'TARGETING_MISS');
      if (!isRolledOut(definition.rolloutPercentage, hashes, id)) return plainDecision(flag, 'ROLLOUT_MISS');
    }
    if (rule?.variation !== undefined) return rule.variation.decision;
    if (flag.variations.length === 0) return plainDecision(flag, 'MATCH');
    return pickVariation(flag.variations, hashes, id)?.decision ?? plainDecision(flag, 'ERROR');
  } catch {
    // A trait can be any value of the caller, such as a getter that throws or a cyclic structure.
    return plainDecision(flag, 'ERROR');
  }
}
