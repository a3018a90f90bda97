import { createRelay, type PublisherOptions, type Relay, toPartitionZero } from '@switchboard/outbox';
import { createAuditSource } from './store.ts';
import { auditTopic } from './topic.ts';

const BATCH_SIZE = 500;
/** Rare, because the trail wakes the relay. */
const EVERY_MS = 2_000;

/** Creates a relay that publishes the entries of a service's outbox. */
export function createAuditRelay({ replication, ...options }: PublisherOptions): Relay {
  return createRelay({
    ...options,
    topic: auditTopic(replication),
    source: createAuditSource,
    recordOf: ({ entry }) => toPartitionZero(null, Buffer.from(entry)),
    batchSize: BATCH_SIZE,
    everyMs: EVERY_MS,
  });
}
