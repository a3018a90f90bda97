import type { EventLog } from '@switchboard/event-log';
import {
  DIRECTORY_TOPIC,
  type DirectoryRecord,
  directoryRecord,
  directoryTombstone,
  type Entitlements,
  type Entries,
  type Kind,
  type Member,
  outgoingRecord,
  type Project,
} from '../record.ts';

/** A project in the directory and its key. */
export interface PublishedProject extends Project {
  key: string;
}

export interface ProjectOptions extends Partial<Project> {
  /** The project's key. Default: a unique key of the project's region. */
  key?: string;
  /** Overrides of the company's plan, which includes no entitlements. Default: none. */
  entitlements?: Entitlements;
  /** The `sub` of each editor of the company. Default: none. */
  members?: readonly string[];
}

/** Stands in for catalogue in a service's tests. Publishes directory records with increasing revisions. */
export interface DirectoryPublisher {
  /** Publishes a company, its plan and members, a project and its key. Generates ids that are not given. */
  putProject(options?: ProjectOptions): Promise<PublishedProject>;
  putEntitlements(companyId: string, entitlements: Entitlements): Promise<void>;
  put<K extends Kind>(kind: K, ...entries: Entries[K][]): Promise<void>;
  /** Publishes a tombstone. Members and reports have two identifiers: the company's or project's, and their own. */
  remove(kind: Kind, ...identifiers: string[]): Promise<void>;
  publish(...records: DirectoryRecord[]): Promise<void>;
}

const PLAN = { tier: 'pro', cycle: 'monthly' };

let projects = 0;

/** Creates the topic `directory`, by default with one partition, so that all records are applied in order. */
export async function createDirectoryPublisher(
  log: EventLog,
  { partitions = 1, replication = 1 }: { partitions?: number; replication?: number } = {},
): Promise<DirectoryPublisher> {
  await log.createTopics([{ name: DIRECTORY_TOPIC, partitions, replication, cleanup: 'compact' }]);
  // A topic on a Kafka server outlives the test, so revisions start at the current time.
  let revision = BigInt(Date.now()) * 1_000n;

  async function publish(...records: DirectoryRecord[]): Promise<void> {
    const outgoing = records.map((record) => outgoingRecord(record, ++revision, partitions));
    await log.publish(DIRECTORY_TOPIC, outgoing);
  }

  const company = (id: string, entitlements: Entitlements) =>
    directoryRecord('company', { id, name: id, plan: PLAN, entitlements });

  return {
    async putProject(options = {}) {
      const number = ++projects;
      const { id = `project-${number}`, companyId = `company-${number}`, name = id } = options;
      const { region = 'eu', defaultLanguage = 'en', entitlements = {}, members = [] } = options;
      const key = options.key ?? `pk_${region}_${String(number).padStart(32, 'k')}`;
      const { allowedOrigins, wires, flagApprovals } = options;
      const project = {
        id,
        companyId,
        name,
        region,
        defaultLanguage,
        ...(allowedOrigins && { allowedOrigins }),
        ...(wires && { wires }),
        ...(flagApprovals !== undefined && { flagApprovals }),
      };
      await publish(
        directoryRecord('plan', { ...PLAN, entitlements: {} }),
        company(companyId, entitlements),
        ...members.map((sub) => directoryRecord('member', testMember(companyId, sub))),
        directoryRecord('project', project),
        directoryRecord('key', { key, projectId: id }),
      );
      return { ...project, key };
    },
    putEntitlements: (companyId, entitlements) => publish(company(companyId, entitlements)),
    put: (kind, ...entries) => publish(...entries.map((entry) => directoryRecord(kind, entry))),
    remove: (kind, ...identifiers) => publish(directoryTombstone(kind, ...identifiers)),
    publish,
  };
}

/** Returns an editor with an email address derived from `sub`. */
export function testMember(companyId: string, sub: string, more: Partial<Member> = {}): Member {
  return {
    companyId,
    sub,
    name: sub,
    email: `${sub}@example.com`,
    role: 'editor',
    avatarUrl: null,
    pushSubscriptions: [],
    ...more,
  };
}
