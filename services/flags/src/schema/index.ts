export { cohortPeople, cohorts, flags, flagVersions, rulesets } from './rulesets.ts';
export { appliedPositions, groups, people } from './user-state.ts';
