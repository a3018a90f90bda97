/**
 * The data that a table holds about a person (a customer's user, by distinct id or user id) and about a colleague (a
 * member of a company, by sub, name, address or push subscription). `erased` describes what happens to the rows. A
 * table without such data states the reason, and so does a table that keeps its rows.
 */
export type Holding = { person?: string; colleague?: string } | { nothing: string } | { kept: string };

const OUTBOX: Record<string, Holding> = {
  'audit.outbox': { nothing: 'entries that are not published yet; removed once published' },
};

const REPLICA: Record<string, Holding> = {
  'directory.entries': { colleague: 'rows of memberships and personal tokens removed' },
  'directory.applied': { nothing: 'offsets' },
  'directory.replica': { nothing: 'one row with an id and times' },
  'directory.done_erasures': { nothing: 'ids of erasures' },
};

/** Every table of every service's database, as `schema.table`. A new table must be added here, and be erased. */
export const HOLDINGS: Record<string, Record<string, Holding>> = {
  analytics: {
    ...REPLICA,
    ...OUTBOX,
    'public.saved_reports': { nothing: 'ids of reports, and when they run' },
    'public.dictionary': { colleague: 'owner cleared' },
    'public.archive_files': { nothing: 'keys of files and names of events' },
    'public.archived_offsets': { nothing: 'offsets' },
    'public.seen_people': { person: 'rows removed' },
    'public.rejections': { nothing: 'numbers of rejected requests by reason, without values' },
    'public.people': { person: 'rows removed' },
    'public.groups': { nothing: 'traits of groups' },
    'public.known_groups': { nothing: 'ids of groups, and numbers of members' },
    'public.group_members': { person: 'rows removed' },
    'public.uncounted_ids': { nothing: 'ids, until their groups are counted' },
    'public.cohorts': { person: 'taken off lists' },
    'public.cohort_lists': { nothing: 'rules that operators write' },
    'public.cohort_parts': { person: 'taken off lists' },
    'public.unpublished_cohort_parts': { nothing: 'ids of cohorts, until they are published' },
    'public.published_cohort_parts': { nothing: 'offsets' },
    'public.applied_positions': { nothing: 'offsets' },
    'public.person_ids': { person: 'rows removed' },
    'public.person_maps': { nothing: 'versions by project' },
    'public.person_id_changes': { person: 'rows removed' },
    'public.clickhouse_blocks': { nothing: 'ranges of offsets' },
    'public.backfills': {
      nothing: 'names of backfills; the key of the last row until one is done',
    },
  },
  archive: {
    ...REPLICA,
    ...OUTBOX,
    'public.seen_events': { nothing: 'hashes of event ids' },
    'public.duplicate_events': { nothing: 'hashes of event ids' },
    'public.seen_days': { nothing: 'days' },
    'public.adoptions': { nothing: 'times' },
    'public.event_dead_letters': { nothing: 'hashes of event ids, and the rule that a record violated' },
    'public.event_segments': { nothing: 'ranges of offsets' },
    'public.event_files': { nothing: 'keys and sizes of files, and names of events in them' },
    'public.published_files': { nothing: 'offsets' },
    'public.erased_projects': { nothing: 'projects, until they are erased' },
    'public.event_progress': { nothing: 'offsets' },
    'public.replays': { person: 'pages and names of events removed with the recording; tombstones stay' },
    'public.replay_chunks': { nothing: 'ids of sessions and hashes' },
    'public.replay_people': { person: 'rows removed with the recording' },
    'public.person_ids': { person: 'rows removed' },
  },
  catalogue: {
    ...OUTBOX,
    'public.audit_entries': {
      kept: 'actions by sub, kept for AUDIT_RETENTION_DAYS; no one can change the entries',
    },
    'public.applied_memberships': { nothing: 'hashes of members' },
    'public.plans': { nothing: 'plans' },
    'public.ai_models': { nothing: 'prices' },
    'public.ai_markup': { nothing: 'prices' },
    'public.companies': { nothing: 'companies' },
    'public.projects': { nothing: 'projects' },
    'public.project_keys': { nothing: 'public keys' },
    'public.throttles': { nothing: 'limits that operators set for projects' },
    'public.reports': { nothing: 'names and queries of reports, which operators write' },
    'public.members': { colleague: 'rows removed' },
    'public.api_tokens': { colleague: 'personal ones removed; creators and rotators of others cleared' },
    'public.outbox': { nothing: 'records that are not published yet; removed once published' },
    'public.published_offsets': { nothing: 'offsets' },
    'public.person_ids': { person: 'rows removed once flags has parted the ids' },
    'public.erasures': { nothing: 'the subject of an erasure, until it is done' },
    'public.erasure_parts': { nothing: 'names of services' },
  },
  collaboration: {
    ...REPLICA,
    ...OUTBOX,
    'public.annotations': { colleague: 'rows removed' },
    'public.threads': { colleague: 'name replaced by "erased"' },
    'public.comments': { colleague: 'emptied, name replaced by "erased"; mentions removed' },
    'public.reactions': { colleague: 'rows removed' },
    'public.thread_reads': { colleague: 'rows removed' },
    'public.dashboards': { colleague: 'owner cleared' },
    'public.public_links': { nothing: 'links to reports' },
    'public.dashboard_links': { nothing: 'links to dashboards' },
    'public.report_runs': { person: 'runs that name them removed' },
    'public.report_run_failures': { person: 'messages that name them removed' },
    'public.report_run_cohorts': { person: 'cohorts that name them removed, with the run' },
    'public.shares': { colleague: 'rows removed' },
    'public.deliveries': { colleague: 'rows removed' },
    'public.dropped_endpoints': { colleague: 'rows removed' },
  },
  flags: {
    ...REPLICA,
    ...OUTBOX,
    'public.rulesets': { nothing: 'times of changes' },
    'public.flags': { nothing: 'rules that operators write' },
    'public.flag_versions': { colleague: 'author cleared' },
    'public.scheduled_changes': { colleague: 'author cleared' },
    'public.cohorts': { nothing: 'rules that operators write' },
    'public.cohort_people': { person: 'rows removed' },
    'public.cohort_members': { person: 'rows removed' },
    'public.unpublished_cohorts': { nothing: 'ids of cohorts, until they are published' },
    'public.published_cohorts': { nothing: 'offsets' },
    'public.people': { person: 'rows removed' },
    'public.identities': { person: 'rows removed', colleague: 'author cleared' },
    'public.persons': { person: 'rows removed, or folded again without the erased ids' },
    'public.unpublished_people': { nothing: 'ids, until they are published' },
    'public.published_people': { nothing: 'offsets' },
    'public.groups': { nothing: 'traits of groups' },
    'public.applied_positions': { nothing: 'offsets' },
  },
  identity: {
    ...REPLICA,
    ...OUTBOX,
    'public.accounts': { colleague: 'rows removed' },
    'public.mails': { nothing: 'e-mails that are not sent yet, encrypted; removed once sent' },
    'public.oidc_records': { colleague: 'rows removed' },
    'public.passkeys': { colleague: 'rows removed' },
    'public.recovery_codes': { colleague: 'rows removed' },
    'public.sessions': { colleague: 'rows removed' },
    'public.company_domains': { nothing: 'domains of companies' },
    'public.group_roles': { nothing: 'names of groups' },
    'public.scim_group_members': { colleague: 'rows removed' },
    'public.scim_groups': { nothing: 'names of groups' },
    'public.scim_tokens': { nothing: 'hashes of tokens' },
    'public.scim_users': { colleague: 'rows removed' },
    'public.signing_keys': { nothing: 'keys' },
    'public.tickets': { colleague: 'rows removed' },
    'public.unpublished_memberships': { nothing: 'changes of members, until they are published' },
    'public.upstream_accounts': { colleague: 'rows removed' },
    'public.upstream_providers': { nothing: 'settings of companies' },
  },
  ingestion: REPLICA,
  messenger: {
    ...REPLICA,
    ...OUTBOX,
    'public.conversations': { person: 'rows removed', colleague: 'assignee cleared' },
    'public.conversation_notes': { person: 'rows removed', colleague: 'author and mentions cleared' },
    'public.conversation_mentions': { colleague: 'rows removed' },
    'public.conversation_history': { colleague: 'author and assignee cleared' },
    'public.conversation_reads': { colleague: 'rows removed' },
    'public.conversation_counts': { colleague: 'rows removed' },
    'public.conversation_count_changes': { nothing: 'changes of counts, until they are added' },
    'public.support_settings': { colleague: 'views of the assignee removed' },
    'public.conversation_tokens': { nothing: 'hashes of tokens, removed with the conversation' },
    'public.person_ids': { person: 'rows removed' },
    'public.turns': { person: 'rows removed', colleague: 'author cleared' },
    'public.attachments': { person: 'rows and objects removed' },
    'public.messages': { person: 'messages sent only to them removed' },
    'public.message_keys': { nothing: 'keys of requests, removed with their message' },
    'public.recipients': { person: 'rows removed' },
    'public.reads': { person: 'rows removed' },
    'public.configurations': { nothing: 'texts that operators write' },
    'public.identity_secrets': { nothing: 'secrets' },
    'public.teammates': { colleague: 'rows removed' },
    'public.avatars': { colleague: 'rows and objects removed' },
    'public.help_sites': { nothing: 'addresses of help sites' },
    'public.article_searches': { nothing: 'settings' },
    'public.translated_bytes': { nothing: 'counts by company' },
  },
};

/** Every ClickHouse table of analytics. */
export const CLICKHOUSE_HOLDINGS: Record<string, Holding> = {
  cohort_facts: { nothing: 'ids during one computation; removed with it' },
  event_keys: { nothing: 'hashes of event ids' },
  events: { person: 'rows removed' },
  groups: { nothing: 'traits of groups' },
  people: { person: 'rows removed' },
  person_ids: { person: 'rows removed' },
  project_versions: { nothing: 'counts of events by project' },
  project_versions_of_events: { nothing: 'the view that counts them' },
  question_people: { nothing: 'no longer written; rows of the previous version, for at most an hour' },
  schema_migrations: { nothing: 'numbers of migrations' },
};

const ENTRIES = { 'directory.entries': 'the id, which is never used again' };

/** Tables that still name a deleted and erased project or company, with the reason. All others must not name it. */
export const KEPT_OF_DELETED: Record<string, Record<string, string>> = {
  analytics: ENTRIES,
  archive: ENTRIES,
  catalogue: {
    'public.audit_entries': 'actions by sub, as for colleagues',
    'public.erasures': 'the id, which is never used again',
  },
  collaboration: ENTRIES,
  flags: ENTRIES,
  identity: ENTRIES,
  ingestion: ENTRIES,
  messenger: ENTRIES,
};

/** Tables with a project column that hold rows of a project only temporarily or under rare conditions. */
export const SELDOM_OF_PROJECT: Record<string, string> = {
  'archive public.erased_projects': 'erasures that an operator requested',
  'catalogue public.erasures': 'erasures of people, and later of the project itself',
  'archive public.event_files':
    'files of one project, once it has 100,000 rows; rows of deleted files are removed after nine days',
  'flags public.unpublished_cohorts': 'until they are published',
  'flags public.unpublished_people': 'until they are published',
  'identity public.unpublished_memberships': 'until they are published',
  'analytics public.unpublished_cohort_parts': 'until they are published',
  'analytics public.uncounted_ids': 'until their groups are counted',
  'messenger public.conversation_count_changes': 'until they are added to the counts',
};

/** Schemas of libraries. `pgboss` contains jobs, which are removed after delivery. `drizzle` contains migrations. */
export const LIBRARY_SCHEMAS = ['pgboss', 'drizzle'];
