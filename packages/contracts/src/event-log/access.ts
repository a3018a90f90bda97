import { ALERTS_TOPIC } from '../analytics/alerts.ts';
import { REPORT_RUN_REQUESTS_TOPIC } from '../analytics/run-requests.ts';
import { REPORT_RUNS_TOPIC } from '../analytics/runs.ts';
import { ARCHIVE_FILES_TOPIC } from '../archive/files.ts';
import { COHORT_MEMBERS_TOPIC, COHORTS_TOPIC } from '../cohorts.ts';
import { COHORT_CHANGES_TOPIC, WATCHED_COHORTS_TOPIC } from '../delivery/watched-cohorts.ts';
import { ingestionTopics } from '../ingestion/records.ts';
import { REJECTIONS_TOPIC } from '../ingestion/rejections.ts';
import { MEMBERSHIPS_TOPIC } from '../memberships.ts';
import { CONVERSATIONS_TOPIC } from '../messenger/conversation-records.ts';
import type { ServiceName } from '../operation/operation.ts';
import { PEOPLE_TOPIC } from '../people/topic.ts';
import { WIRE_USAGE_TOPIC } from '../wires/usage.ts';

const DIRECTORY_TOPIC = 'directory';
const ERASURE_REPORTS_TOPIC = 'erasure-reports';
const TOKEN_USES_TOPIC = 'token-uses';
const AUDIT_TOPIC = 'audit';
/** The topics on which every service reports to catalogue. */
const REPORTS = [ERASURE_REPORTS_TOPIC, TOKEN_USES_TOPIC];
const TO_CATALOGUE = [...REPORTS, AUDIT_TOPIC];

/** Topics, and the consumer group that reads or watches them. A group that ends in `*` is a prefix. */
export interface GroupAccess {
  group: string;
  topics: readonly string[];
}

/** The access of a program to the event log. The kit and, on Kafka, the broker reject everything else. */
export interface EventLogAccess {
  /** The topics that it creates if they do not exist, each with its dead-letter topic. */
  creates: readonly string[];
  writes: readonly string[];
  /** Includes writing to the dead-letter topics of these topics. */
  reads: readonly GroupAccess[];
  /** The topics that it reads only the offsets of. */
  watches: readonly GroupAccess[];
}

/** A program that connects to the event log, and the name of its broker user. */
export type EventLogUser = ServiceName | 'directory-link' | 'directory-link-home';

const { events, identifies, groups, replays } = ingestionTopics;
const ingested = Object.values(ingestionTopics);
const deadLetters = ingested.map(deadLettersOf);

/** The services that keep a replica of which distinct ids are of one person. */
const personIdsOf = (service: ServiceName) => ({ group: `${service}.person-ids`, topics: [PEOPLE_TOPIC] });

/** Every service but ingestion, which has no management operations, keeps an audit trail. */
const trailOf = (service: ServiceName) => (service === 'ingestion' ? [] : [AUDIT_TOPIC]);

/** Every service but catalogue follows the directory, and reports erasures, late entries and uses of tokens. */
function follower(service: ServiceName, more: Partial<EventLogAccess> = {}): EventLogAccess {
  return {
    creates: [...trailOf(service), ...(more.creates ?? [])],
    writes: [...REPORTS, ...trailOf(service), ...(more.writes ?? [])],
    reads: [{ group: `directory.${service}.*`, topics: [DIRECTORY_TOPIC] }, ...(more.reads ?? [])],
    watches: more.watches ?? [],
  };
}

/** The services that read the directory. */
const followers = {
  collaboration: follower('collaboration', {
    creates: [REPORT_RUN_REQUESTS_TOPIC],
    writes: [REPORT_RUN_REQUESTS_TOPIC],
    reads: [{ group: 'collaboration.report-runs', topics: [REPORT_RUNS_TOPIC] }],
  }),
  messenger: follower('messenger', {
    creates: [CONVERSATIONS_TOPIC],
    writes: [CONVERSATIONS_TOPIC],
    reads: [personIdsOf('messenger')],
  }),
  flags: follower('flags', {
    creates: [COHORTS_TOPIC, PEOPLE_TOPIC, WIRE_USAGE_TOPIC],
    writes: [COHORTS_TOPIC, PEOPLE_TOPIC, WIRE_USAGE_TOPIC],
    reads: [
      { group: 'flags.user-state', topics: [identifies, groups] },
      { group: 'flags.cohort-members', topics: [COHORT_MEMBERS_TOPIC] },
    ],
  }),
  ingestion: follower('ingestion', {
    creates: [...ingested, REJECTIONS_TOPIC, WIRE_USAGE_TOPIC],
    writes: [...ingested, REJECTIONS_TOPIC, WIRE_USAGE_TOPIC],
  }),
  archive: follower('archive', {
    creates: [ARCHIVE_FILES_TOPIC],
    // It replays dead letters.
    writes: [ARCHIVE_FILES_TOPIC, ...ingested],
    reads: [
      { group: 'archive.events', topics: [events] },
      { group: 'archive.replays', topics: [replays] },
      { group: 'archive.dead-letters', topics: deadLetters },
      // A group for each reading of single dead letters.
      { group: 'archive.dead-letter-reads.*', topics: deadLetters },
      personIdsOf('archive'),
    ],
    watches: [{ group: 'archive.retention', topics: [events] }],
  }),
  analytics: follower('analytics', {
    creates: [
      REPORT_RUNS_TOPIC,
      REPORT_RUN_REQUESTS_TOPIC,
      ALERTS_TOPIC,
      COHORT_MEMBERS_TOPIC,
      COHORT_CHANGES_TOPIC,
      WATCHED_COHORTS_TOPIC,
      REJECTIONS_TOPIC,
      WIRE_USAGE_TOPIC,
    ],
    writes: [REPORT_RUNS_TOPIC, ALERTS_TOPIC, COHORT_MEMBERS_TOPIC, COHORT_CHANGES_TOPIC],
    reads: [
      { group: 'analytics.archive-files', topics: [ARCHIVE_FILES_TOPIC] },
      { group: 'analytics.people', topics: [identifies, groups] },
      { group: 'analytics.seen', topics: [events, identifies, groups] },
      // A group for each process with viewers of live events.
      { group: 'analytics.live.*', topics: [events] },
      { group: 'analytics.cohorts', topics: [COHORTS_TOPIC] },
      { group: 'analytics.watched-cohorts', topics: [WATCHED_COHORTS_TOPIC] },
      { group: 'analytics.rejections', topics: [REJECTIONS_TOPIC] },
      { group: 'analytics.wire-usage', topics: [WIRE_USAGE_TOPIC] },
      { group: 'analytics.report-run-requests', topics: [REPORT_RUN_REQUESTS_TOPIC] },
      personIdsOf('analytics'),
      { group: 'analytics.clickhouse', topics: [events] },
      { group: 'analytics.clickhouse-people', topics: [identifies, groups, PEOPLE_TOPIC] },
    ],
    // The group of the previous version, which may run at the same time.
    watches: [{ group: 'archive.events', topics: [events] }],
  }),
  identity: follower('identity', { creates: [MEMBERSHIPS_TOPIC], writes: [MEMBERSHIPS_TOPIC] }),
  delivery: follower('delivery', {
    creates: [WATCHED_COHORTS_TOPIC],
    writes: [WATCHED_COHORTS_TOPIC],
    reads: [
      { group: 'delivery.events', topics: [events] },
      { group: 'delivery.report-runs', topics: [REPORT_RUNS_TOPIC] },
      { group: 'delivery.alerts', topics: [ALERTS_TOPIC] },
      { group: 'delivery.cohort-changes', topics: [COHORT_CHANGES_TOPIC] },
      { group: 'delivery.conversations', topics: [CONVERSATIONS_TOPIC] },
      { group: 'delivery.audit', topics: [AUDIT_TOPIC] },
    ],
  }),
} satisfies Partial<Record<ServiceName, EventLogAccess>>;

/** Their consumer groups, except those of replicas. A service that is always running watches them. */
const consumerGroups = Object.values(followers)
  .flatMap(({ reads }) => reads)
  .filter(({ group }) => !group.endsWith('*'));

/**
 * The event log access of every program: the source of the guard in the kit, the brokers' ACLs and their
 * documentation.
 */
export const eventLogAccess: Readonly<Record<EventLogUser, EventLogAccess>> = {
  catalogue: {
    creates: [DIRECTORY_TOPIC, MEMBERSHIPS_TOPIC, ...TO_CATALOGUE],
    writes: [DIRECTORY_TOPIC, AUDIT_TOPIC],
    reads: [
      { group: 'catalogue.memberships', topics: [MEMBERSHIPS_TOPIC] },
      ...TO_CATALOGUE.map((topic) => ({ group: `catalogue.${topic}`, topics: [topic] })),
      personIdsOf('catalogue'),
    ],
    // A service that is down cannot report its own lag.
    watches: consumerGroups,
  },
  ...followers,
  // Access to the event log of its region.
  'directory-link': {
    creates: [DIRECTORY_TOPIC, ...TO_CATALOGUE],
    writes: [DIRECTORY_TOPIC],
    reads: [
      { group: 'directory.link.*', topics: [DIRECTORY_TOPIC] },
      { group: 'erasure-reports.link', topics: TO_CATALOGUE },
    ],
    // As catalogue does in the home region.
    watches: consumerGroups,
  },
  // Access to the event log of the home region.
  'directory-link-home': {
    creates: [],
    writes: TO_CATALOGUE,
    reads: [{ group: 'directory.link.*', topics: [DIRECTORY_TOPIC] }],
    watches: [],
  },
};

/** Returns the topic for the records of a topic that could not be read. */
export function deadLettersOf(topic: string): string {
  return `${topic}.dead-letter`;
}

/** Returns whether `switchboard topics repartition` can change the number of partitions of the topic. */
export function isRepartitionable(topic: string): boolean {
  return ingested.some((one) => one === topic);
}
