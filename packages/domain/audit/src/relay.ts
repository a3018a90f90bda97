import type { Db } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import { createRelay, type Relay, type RelayLogger, toPartitionZero } from '@switchboard/outbox';
import { createAuditSource } from './store.ts';
import { auditTopic } from './topic.ts';

interface RelayOptions {
  db: Db;
  log: EventLog;
  /** The replication factor of the topic, if the relay creates it. */
  replication: number;
  logger: RelayLogger;
}

const BATCH_SIZE = 500;

/** Creates a relay that publishes the entries of a service's outbox. */
export function createAuditRelay({ replication, ...options }: RelayOptions): Relay {
  return createRelay({
    ...options,
    topic: auditTopic(replication),
    source: createAuditSource,
    recordOf: ({ entry }) => toPartitionZero(null, Buffer.from(entry)),
    batchSize: BATCH_SIZE,
  });
}
