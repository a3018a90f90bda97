import { attributeOf, isCohortClause, matchesClauses } from './clauses/clauses.ts';
import { evaluateFlag } from './evaluate.ts';
import { inRollout, rolloutBucket } from './rollout.ts';
import { compileRuleset } from './ruleset.ts';
import type { Clause, Decision, Flag, Prerequisite, User } from './types.ts';

/** Whether a user matches a clause, and the value that it was compared with. */
export interface ClauseCheck {
  readonly clause: Clause;
  /** Undefined if it is missing, or if the clause is about cohorts. */
  readonly value: unknown;
  readonly passed: boolean;
}

export interface RolloutCheck {
  readonly percentage: number;
  /** The bucket of the user, from 1 to 100. Undefined for an empty id. */
  readonly bucket: number | undefined;
  readonly passed: boolean;
}

/** A check of an evaluation. */
export type Step =
  | { readonly check: 'enabled'; readonly passed: boolean }
  | {
      readonly check: 'prerequisite';
      readonly prerequisite: Prerequisite;
      /** Undefined if the flag is missing or in a cycle. */
      readonly served: string | undefined;
      readonly passed: boolean;
    }
  | {
      readonly check: 'rule';
      /** The position of the rule in the flag. */
      readonly index: number;
      readonly clauses: readonly ClauseCheck[];
      readonly rollout: RolloutCheck;
      readonly passed: boolean;
    }
  | { readonly check: 'targeting'; readonly clauses: readonly ClauseCheck[]; readonly passed: boolean }
  | { readonly check: 'rollout'; readonly rollout: RolloutCheck; readonly passed: boolean };

export interface Explanation {
  readonly decision: Decision;
  /** The checks in the order in which they are made. The last one decides. */
  readonly steps: readonly Step[];
}

/** Says step by step how a flag is evaluated for a user. Undefined if no flag has this key. Takes valid flags. */
export function explain(flags: readonly Flag[], key: string, user: User): Explanation | undefined {
  const ruleset = compileRuleset(flags);
  const decision = evaluateFlag(ruleset, key, user);
  const flag = flags.findLast((one) => one.key === key);
  if (decision === undefined || flag === undefined) return undefined;
  const { prerequisites = [] } = ruleset.flags[ruleset.positions.get(key) ?? -1] ?? {};
  const servedBy = (at: number) => {
    const required = ruleset.flags[prerequisites[at]?.position ?? -1];
    return required && evaluateFlag(ruleset, required.key, user)?.served;
  };
  return { decision, steps: stepsOf(flag, user, servedBy) };
}

function stepsOf(flag: Flag, user: User, servedBy: (at: number) => string | undefined): Step[] {
  const steps: Step[] = [{ check: 'enabled', passed: flag.enabled }];
  if (!flag.enabled) return steps;
  for (const [index, prerequisite] of (flag.prerequisites ?? []).entries()) {
    const served = servedBy(index);
    const passed = served === prerequisite.variationKey;
    steps.push({ check: 'prerequisite', prerequisite, served, passed });
    if (!passed) return steps;
  }
  for (const [index, { targeting, rolloutPercentage = 100 }] of (flag.rules ?? []).entries()) {
    const clauses = clauseChecks(targeting, user);
    const rollout = rolloutCheck(flag.key, rolloutPercentage, user);
    const passed = rollout.passed && clauses.every((one) => one.passed);
    steps.push({ check: 'rule', index, clauses, rollout, passed });
    if (passed) return steps;
  }
  const clauses = clauseChecks(flag.targeting ?? [], user);
  const passed = clauses.every((one) => one.passed);
  steps.push({ check: 'targeting', clauses, passed });
  if (!passed) return steps;
  const rollout = rolloutCheck(flag.key, flag.rolloutPercentage, user);
  steps.push({ check: 'rollout', rollout, passed: rollout.passed });
  return steps;
}

const clauseChecks = (clauses: readonly Clause[], user: User): ClauseCheck[] =>
  clauses.map((clause) => ({
    clause,
    value: isCohortClause(clause) ? undefined : attributeOf(user, clause.attribute),
    passed: matchesClauses([clause], user),
  }));

const rolloutCheck = (key: string, percentage: number, { distinctId }: User): RolloutCheck => ({
  percentage,
  bucket: distinctId === '' ? undefined : rolloutBucket(key, distinctId),
  passed: inRollout(percentage, key, distinctId),
});
