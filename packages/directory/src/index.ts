export { type Directory, type DirectoryOptions, openDirectory } from './directory.ts';
export { type Eraser, type Erasures, openErasures } from './erasures/erasures.ts';
export { createErasureReportLink } from './erasures/report-link.ts';
export {
  ERASURE_REPORTS_TOPIC,
  type ErasureReport,
  erasureReportsSpec,
  parseErasureReport,
} from './erasures/reports.ts';
export { DirectoryUnavailable } from './errors.ts';
export { createDirectoryLink, type DirectoryLink, type DirectoryLinkOptions } from './link.ts';
export type { LookUps, ProjectKey } from './lookups.ts';
export { directoryMigrations } from './migrations.ts';
export {
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
export { readRefreshedReports } from './store.ts';
