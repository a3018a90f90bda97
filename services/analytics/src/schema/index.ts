export { backfills } from '@switchboard/database/schema';
export { alertIncidents, alerts, unpublishedAlerts } from './alerts.ts';
export { clickhouseBlocks } from './blocks.ts';
export { cohortLists, cohortParts, publishedCohortParts, unpublishedCohortParts } from './cohort-lists.ts';
export { dictionary } from './dictionary.ts';
export { archivedOffsets, archiveFiles } from './files.ts';
export { groupMembers, knownGroups, uncountedIds } from './groups.ts';
export {
  appliedPositions,
  cohorts,
  groups,
  people,
  personIdChanges,
  personIds,
  personMaps,
} from './people.ts';
export { rejections } from './rejections.ts';
export { savedReports } from './saved-reports.ts';
export { seenPeople } from './seen-people.ts';
export { unpublishedCohortChanges, watchedCohorts, watchedPeople } from './watched-cohorts.ts';
export { wireUsage } from './wire-usage.ts';
