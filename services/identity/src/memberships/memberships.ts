import { MEMBERSHIPS_TOPIC, type MembershipRecord, membershipKey, type Role } from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import { compactedTopic, createRelay, type PublisherOptions, type Relay } from '@switchboard/outbox';
import { createMembershipsStore } from './store.ts';

export interface Membership {
  companyId: string;
  sub: string;
  name: string;
  email: string;
  /** Undefined: the member keeps the role; a new one is a viewer. */
  role: Role | undefined;
}

/** Changes members of companies. Catalogue applies the changes, by its own rules. */
export interface Memberships {
  /** Adds or changes a member with the transaction. */
  set(tx: Tx, member: Membership): Promise<void>;
  /** Removes a member with the transaction. */
  remove(tx: Tx, member: Pick<Membership, 'companyId' | 'sub'>): Promise<void>;
}

export function createMemberships(): Memberships {
  return {
    async set(tx, { companyId, sub, name, email, role }) {
      const record: MembershipRecord = { companyId, sub, name, email, ...(role && { role }) };
      await createMembershipsStore(tx).append({ companyId, sub, content: JSON.stringify(record) });
    },
    remove: (tx, { companyId, sub }) => createMembershipsStore(tx).append({ companyId, sub, content: null }),
  };
}

const BATCH_SIZE = 200;

/** Publishes changes to the topic `memberships`. */
export function createMembershipsPublisher({ replication, ...options }: PublisherOptions): Relay {
  return createRelay({
    ...options,
    topic: { ...compactedTopic(MEMBERSHIPS_TOPIC, replication), deadLetter: true },
    source: createMembershipsStore,
    recordOf: ({ companyId, sub, content, revision }) => ({
      partition: 0,
      key: membershipKey(companyId, sub),
      value: content === null ? null : Buffer.from(content),
      headers: { revision: String(revision) },
    }),
    batchSize: BATCH_SIZE,
  });
}
