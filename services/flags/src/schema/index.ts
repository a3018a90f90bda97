export { cohortPeople, cohorts, flags, rulesets } from './rulesets.ts';
export { appliedPositions, groups, people } from './user-state.ts';
