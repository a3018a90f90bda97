export { isCohortClause, matchesClauses } from './clauses/clauses.ts';
export { parseInstant } from './clauses/instant.ts';
export { exactNumeric, numeric } from './clauses/numeric.ts';
export { parseSemanticVersion, type SemanticVersion } from './clauses/semver.ts';
export { clauseWarnings, flagWarnings } from './clauses/warnings.ts';
export { type CompiledCohorts, compileCohorts, memberships } from './cohorts.ts';
export { decideAll, type Evaluation, evaluateAll, evaluateFlag, ruleOf } from './evaluate.ts';
export {
  type ClauseCheck,
  type Explanation,
  explain,
  type RolloutCheck,
  type Step,
} from './explain.ts';
export { murmur3 } from './murmur3.ts';
export { type OpenFeatureReason, type Resolution, resolve } from './open-feature.ts';
export { chooseVariation, inRollout, rolloutBucket } from './rollout.ts';
export { compileRuleset, type Ruleset } from './ruleset.ts';
export type {
  Clause,
  ClauseOperator,
  Cohort,
  Decision,
  Flag,
  FlagIntent,
  FlagType,
  Person,
  Prerequisite,
  Reason,
  Rule,
  Traits,
  User,
  Variation,
} from './types.ts';
export {
  brokenPrerequisites,
  type Problem,
  validateCohort,
  validateFlag,
  validateRuleset,
} from './validate.ts';
