export { type Directory, type DirectoryOptions, openDirectory } from './directory.ts';
export { type Eraser, type Erasures, openErasures } from './erasures/erasures.ts';
export {
  ERASURE_REPORTS_TOPIC,
  type ErasureReport,
  erasureReportsSpec,
  parseErasureReport,
} from './erasures/reports.ts';
export { readErasedPeople } from './erasures/store.ts';
export { DirectoryUnavailable } from './errors.ts';
export { type LateEntry, parseLateEntry } from './late-entries.ts';
export { createDirectoryLink, type DirectoryLink, type DirectoryLinkOptions } from './link.ts';
export type { LookUps, ProjectKey } from './lookups.ts';
export { directoryMigrations } from './migrations.ts';
export {
  type ApiToken,
  type DeletedSubject,
  DIRECTORY_TOMBSTONE_RETENTION_MS,
  DIRECTORY_TOPIC,
  type DirectoryRecord,
  directoryRecord,
  directoryTombstone,
  type Entitlements,
  type Entries,
  type ErasedPerson,
  type ErasureSubject,
  erasureSubject,
  type Kind,
  type Member,
  outgoingRecord,
  type Project,
  type PushSubscription,
  type Report,
} from './record.ts';
export { holdReport, type OnRemoved, projectsOfCompany, type Removed } from './removals/removals.ts';
export { createReportLink } from './report-link.ts';
export { readRefreshedReports } from './store.ts';
export { createUseReporter, type UseReporter } from './tokens/use-reporter.ts';
export { parseTokenUse, TOKEN_USES_TOPIC, type TokenUse, tokenUsesSpec } from './tokens/uses.ts';
