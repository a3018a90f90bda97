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

/** A project in the directory, and what opens it. */
export interface PublishedProject extends Project {
  key: string;
}

export interface ProjectOptions extends Partial<Project> {
  /** Default: a key of the project's region that no other project has. */
  key?: string;
  /** Overrides of the company's plan, which includes nothing. Default: none. */
  entitlements?: Entitlements;
  /** Editors of the company, by `sub`. Default: none. */
  members?: readonly string[];
}

/** Catalogue's part in a service's tests: publishes directory records, each newer than all before. */
export interface DirectoryPublisher {
  /** Publishes a company, its plan and members, a project and its key; ids that are not given are made up. */
  putProject(options?: ProjectOptions): Promise<PublishedProject>;
  putEntitlements(companyId: string, entitlements: Entitlements): Promise<void>;
  put<K extends Kind>(kind: K, ...entries: Entries[K][]): Promise<void>;
  /** Publishes a tombstone. A member and a report have two identifiers: of the company or project, and their own. */
  remove(kind: Kind, ...identifiers: string[]): Promise<void>;
  publish(...records: DirectoryRecord[]): Promise<void>;
}

const PLAN = { tier: 'pro', cycle: 'monthly' };

let projects = 0;

/** Creates the topic `directory` in the log, with one partition unless told otherwise: all is applied in order. */
export async function createDirectoryPublisher(
  log: EventLog,
  { partitions = 1, replication = 1 }: { partitions?: number; replication?: number } = {},
): Promise<DirectoryPublisher> {
  await log.createTopics([{ name: DIRECTORY_TOPIC, partitions, replication, cleanup: 'compact' }]);
  // The topic of a Kafka server outlives the test.
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
      const { allowedOrigins } = options;
      const project = {
        id,
        companyId,
        name,
        region,
        defaultLanguage,
        ...(allowedOrigins && { allowedOrigins }),
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

/** An editor with an address made of `sub`. */
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
