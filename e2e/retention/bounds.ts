/**
 * The bound on the growth of a table, a topic or a part of the object store.
 *
 * - `setting`: data is removed when it is older than this setting
 * - `after`: data is removed when it has served its purpose
 * - `owner`: people create and remove it, within limits of the API
 * - `of`: it grows with something else: projects, partitions, or the data that it is a copy of
 */
export type Bound = { setting: string } | { after: string } | { owner: string } | { of: string };

const OUTBOX: Record<string, Bound> = {
  'audit.outbox': { after: 'entries are removed once published' },
};

const REPLICA: Record<string, Bound> = {
  'directory.entries': { of: 'the directory, and entries that were removed from it' },
  'directory.applied': { of: 'partitions' },
  'directory.replica': { of: 'one row' },
  'directory.done_erasures': { after: 'the erasure is done everywhere' },
};

const PEOPLE: Record<string, Bound> = {
  'public.people': { setting: 'PEOPLE_RETENTION_DAYS' },
  'public.groups': { setting: 'PEOPLE_RETENTION_DAYS' },
  'public.applied_positions': { of: 'partitions' },
};

/** Every table of every service's database, as `schema.table`. A new table must be added here. */
export const TABLES: Record<string, Record<string, Bound>> = {
  analytics: {
    'public.backfills': { of: 'backfills' },
    ...REPLICA,
    ...OUTBOX,
    ...PEOPLE,
    'public.seen_people': { setting: 'PEOPLE_RETENTION_DAYS' },
    'public.known_groups': { setting: 'PEOPLE_RETENTION_DAYS' },
    'public.group_members': { of: 'people' },
    'public.uncounted_ids': { after: 'their groups are counted' },
    'public.saved_reports': { of: 'reports with a refresh time' },
    'public.dictionary': { of: '5,000 entries a project' },
    'public.archive_files': { of: 'the files of the archive' },
    'public.archived_offsets': { of: 'one row' },
    'public.cohorts': { of: 'the cohorts of flags' },
    'public.cohort_lists': { of: 'the cohorts of flags' },
    'public.cohort_parts': { of: 'people, within a limit for each cohort' },
    'public.unpublished_cohort_parts': { after: 'they are published' },
    'public.published_cohort_parts': { of: 'one row' },
    'public.person_ids': { of: 'the joined ids of flags' },
    'public.person_maps': { of: 'projects' },
    'public.person_id_changes': { of: '10,000 rows a project' },
    'public.clickhouse_blocks': { after: 'a day' },
  },
  archive: {
    ...REPLICA,
    ...OUTBOX,
    'public.seen_events': { setting: 'ARCHIVE_SEEN_BYTES' },
    'public.duplicate_events': { setting: 'ARCHIVE_SEEN_BYTES' },
    'public.seen_days': { after: 'seven days' },
    'public.adoptions': { after: 'the manifest is rebuilt' },
    'public.event_dead_letters': { after: 'seven days' },
    'public.event_segments': { setting: 'EVENTS_RETENTION_HOURS' },
    'public.event_files': { setting: 'ARCHIVE_RETENTION_DAYS' },
    'public.published_files': { of: 'one row' },
    'public.erased_projects': { after: 'the project is erased' },
    'public.event_progress': { of: 'partitions' },
    'public.replays': { setting: 'RECORDINGS_RETENTION_DAYS' },
    'public.replay_chunks': { setting: 'RECORDINGS_RETENTION_DAYS' },
    'public.person_ids': { of: 'the joined ids of flags' },
    'public.replay_people': { setting: 'RECORDINGS_RETENTION_DAYS' },
  },
  catalogue: {
    ...OUTBOX,
    'public.audit_entries': { setting: 'AUDIT_RETENTION_DAYS' },
    'public.applied_memberships': { of: 'the members that identity changed' },
    'public.plans': { owner: 'operators' },
    'public.ai_models': { owner: 'operators' },
    'public.ai_markup': { of: 'one row' },
    'public.companies': { owner: 'operators' },
    'public.projects': { owner: 'operators' },
    'public.project_keys': { owner: 'operators' },
    'public.throttles': { of: 'projects' },
    'public.reports': { owner: 'operators' },
    'public.members': { owner: 'operators' },
    'public.api_tokens': { owner: 'members, who revoke them' },
    'public.outbox': { after: 'records are removed once published' },
    'public.published_offsets': { of: 'partitions' },
    'public.person_ids': { of: 'the joined ids of flags' },
    'public.erasures': { setting: 'AUDIT_RETENTION_DAYS' },
    'public.erasure_parts': { setting: 'AUDIT_RETENTION_DAYS' },
  },
  collaboration: {
    ...REPLICA,
    ...OUTBOX,
    'public.annotations': { owner: 'members' },
    'public.threads': { setting: 'COMMENTS_RETENTION_DAYS' },
    'public.comments': { setting: 'COMMENTS_RETENTION_DAYS' },
    'public.reactions': { setting: 'COMMENTS_RETENTION_DAYS' },
    'public.dashboards': { owner: 'members, within a limit for each project' },
    'public.public_links': { of: 'reports' },
    'public.report_runs': { setting: 'REPORT_RUNS_RETENTION_DAYS' },
    'public.report_run_failures': { setting: 'REPORT_RUNS_RETENTION_DAYS' },
    'public.report_run_cohorts': { setting: 'REPORT_RUNS_RETENTION_DAYS' },
    'public.shares': { setting: 'SHARES_RETENTION_DAYS' },
    'public.deliveries': { setting: 'SHARES_RETENTION_DAYS' },
    'public.dropped_endpoints': { setting: 'SHARES_RETENTION_DAYS' },
  },
  flags: {
    ...REPLICA,
    ...OUTBOX,
    ...PEOPLE,
    'public.rulesets': { of: 'projects' },
    'public.flags': { owner: 'operators' },
    'public.flag_versions': { of: 'flags: the last 200 of each key' },
    'public.scheduled_changes': { owner: 'operators, within a limit for each project' },
    'public.cohorts': { owner: 'operators' },
    'public.cohort_people': { owner: 'operators, within a limit for each cohort' },
    'public.cohort_members': { of: 'people, within a limit for each cohort' },
    'public.unpublished_cohorts': { after: 'they are published' },
    'public.published_cohorts': { of: 'one row' },
    'public.identities': { setting: 'PEOPLE_RETENTION_DAYS' },
    'public.persons': { setting: 'PEOPLE_RETENTION_DAYS' },
    'public.unpublished_people': { after: 'they are published' },
    'public.published_people': { of: 'one row' },
  },
  identity: {
    ...REPLICA,
    ...OUTBOX,
    'public.accounts': { owner: 'people, by invitation' },
    'public.mails': { after: 'they are sent, or after a day' },
    'public.oidc_records': { after: 'they expire' },
    'public.passkeys': { owner: 'their person' },
    'public.recovery_codes': { owner: 'their person: ten codes' },
    'public.sessions': { after: 'two weeks' },
    'public.company_domains': { owner: 'companies: 50 each' },
    'public.group_roles': { owner: 'companies: 500 each' },
    'public.scim_group_members': { owner: 'companies: 10,000 for each of 1,000 groups' },
    'public.scim_groups': { owner: 'companies: 1,000 each' },
    'public.scim_tokens': { owner: 'companies: five each' },
    'public.scim_users': { owner: 'companies: 10,000 each' },
    'public.signing_keys': { after: 'the next key signs' },
    'public.tickets': { after: 'they are used or expire' },
    'public.unpublished_memberships': { after: 'they are published' },
    'public.upstream_accounts': { owner: 'their person: one for each provider' },
    'public.upstream_providers': { owner: 'companies: one each' },
  },
  ingestion: REPLICA,
  messenger: {
    ...REPLICA,
    ...OUTBOX,
    'public.conversations': { setting: 'CONVERSATIONS_RETENTION_DAYS' },
    'public.conversation_tokens': { of: 'ten a conversation' },
    'public.person_ids': { of: 'the joined ids of flags' },
    'public.turns': { setting: 'CONVERSATIONS_RETENTION_DAYS' },
    'public.attachments': { setting: 'CONVERSATIONS_RETENTION_DAYS' },
    'public.messages': { setting: 'MESSAGES_RETENTION_DAYS' },
    'public.message_keys': { setting: 'MESSAGES_RETENTION_DAYS' },
    'public.recipients': { setting: 'MESSAGES_RETENTION_DAYS' },
    'public.reads': { setting: 'MESSAGES_RETENTION_DAYS' },
    'public.configurations': { of: 'projects' },
    'public.identity_secrets': { owner: 'operators' },
    'public.teammates': { owner: 'operators' },
    'public.avatars': { owner: 'operators: pictures of teammates, which keep their addresses' },
    'public.help_sites': { of: 'projects' },
    'public.article_searches': { of: 'projects' },
    'public.translated_bytes': { after: '400 days' },
  },
};

/** Every table of analytics in ClickHouse. */
export const CLICKHOUSE_TABLES: Record<string, Bound> = {
  cohort_facts: { after: 'the computation, or an hour' },
  event_keys: { after: 'eight days' },
  events: { setting: 'ARCHIVE_RETENTION_DAYS' },
  groups: { setting: 'PEOPLE_RETENTION_DAYS' },
  people: { setting: 'PEOPLE_RETENTION_DAYS' },
  person_ids: { of: 'the joined ids of flags' },
  project_versions: { of: 'a few rows a project' },
  project_versions_of_events: { of: 'nothing: the view that fills project_versions' },
  question_people: { after: 'an hour' },
  schema_migrations: { of: 'migrations' },
};

/** Every topic. Its dead letters are kept for 30 days, or as long as the topic if that is longer. */
export const TOPICS: Record<string, Bound> = {
  directory: { of: 'the directory: compacted' },
  'erasure-reports': { after: 'seven days' },
  'token-uses': { after: 'a day' },
  audit: { after: '30 days' },
  cohorts: { of: 'the cohorts of flags: compacted' },
  memberships: { of: 'the members that identity changed: compacted' },
  people: { of: 'the joined ids of flags: compacted' },
  'cohort-members': { of: 'the computed lists of cohorts: compacted' },
  events: { setting: 'EVENTS_RETENTION_HOURS' },
  identifies: { setting: 'CALLS_RETENTION_HOURS' },
  groups: { setting: 'CALLS_RETENTION_HOURS' },
  replays: { setting: 'REPLAYS_RETENTION_HOURS' },
  'archive-files': { of: 'the files of the archive: compacted' },
  'report-runs': { after: 'seven days' },
};

/** The prefixes of object keys. */
export const OBJECTS: Record<string, Bound> = {
  attachments: { setting: 'CONVERSATIONS_RETENTION_DAYS' },
  avatars: { owner: 'operators' },
  events: { setting: 'ARCHIVE_RETENTION_DAYS' },
  replays: { setting: 'RECORDINGS_RETENTION_DAYS' },
};
