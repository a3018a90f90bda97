export { backfills } from '@switchboard/database/schema';
export { appliedPositions, groups, people } from '@switchboard/user-state/schema';
export {
  cohortMembers,
  cohortPeople,
  cohorts,
  flags,
  flagVersions,
  publishedCohorts,
  rulesets,
  unpublishedCohorts,
} from './rulesets.ts';
export { scheduledChanges } from './scheduled-changes.ts';
