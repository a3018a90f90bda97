import {
  type DirectoryRecord,
  directoryRecord,
  directoryTombstone,
  directoryTopic,
  type Entries,
  type Kind,
  outgoingRecord,
} from '@switchboard/directory';
import { type EventLog, openPostgresLog } from '@switchboard/event-log';

const PARTITIONS = 2;
let revision = 0n;

/** The catalogue's end of the topic `directory`. */
export interface DirectoryPublisher {
  put<K extends Kind>(kind: K, entry: Entries[K]): Promise<void>;
  remove(kind: Kind, ...identifiers: string[]): Promise<void>;
  close(): Promise<void>;
}

export async function publishDirectory(url: string): Promise<DirectoryPublisher> {
  const log: EventLog = openPostgresLog({ url });
  await log.createTopics([
    { name: directoryTopic, partitions: PARTITIONS, replication: 1, cleanup: 'compact' },
  ]);
  const publish = async (record: DirectoryRecord) => {
    await log.publish(directoryTopic, [outgoingRecord(record, ++revision, PARTITIONS)]);
  };
  return {
    put: (kind, entry) => publish(directoryRecord(kind, entry)),
    remove: (kind, ...identifiers) => publish(directoryTombstone(kind, ...identifiers)),
    close: () => log.close(),
  };
}

export const member = (sub: string, name: string, more: Partial<Entries['member']> = {}) => ({
  companyId: 'acme',
  sub,
  name,
  email: `${sub}@acme.example`,
  avatarUrl: null,
  pushSubscriptions: [],
  ...more,
});

/** Company acme with project shop and its reports, ada, grace and alan; company rival with eve. */
export async function seedDirectory({ put }: DirectoryPublisher): Promise<void> {
  const plan = { tier: 'pro', cycle: 'monthly' };
  await put('company', { id: 'acme', name: 'Acme', plan, entitlements: {} });
  await put('company', { id: 'rival', name: 'Rival', plan, entitlements: {} });
  const region = { region: 'eu', defaultLanguage: 'en' };
  await put('project', { id: 'shop', companyId: 'acme', name: 'Web shop', ...region });
  await put('project', { id: 'blog', companyId: 'acme', name: 'Blog', ...region });
  await put('report', { projectId: 'shop', id: 'signups', name: 'Weekly sign-ups' });
  await put('report', { projectId: 'shop', id: 'revenue', name: 'Revenue' });
  await put('report', { projectId: 'blog', id: 'posts', name: 'Posts' });
  await put('member', member('ada', 'Ada Lovelace'));
  await put('member', member('grace', 'Grace Hopper'));
  await put('member', member('alan', 'Alan Turing'));
  await put('member', { ...member('eve', 'Eve'), companyId: 'rival' });
}
