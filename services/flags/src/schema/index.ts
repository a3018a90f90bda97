export {
  identities,
  persons,
  unpublishedPeople,
} from '@switchboard/user-state/joins-schema';
export { appliedPositions, groups, people } from '@switchboard/user-state/schema';
export { changeApprovals, changeRequests } from './change-requests.ts';
export { flagHooks } from './flag-hooks.ts';
export { publishedPeople } from './person-ids.ts';
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
export { usageDays, usageHours, usageSeen } from './usage.ts';
