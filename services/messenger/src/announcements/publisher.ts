import { CONVERSATIONS_TOPIC } from '@switchboard/contracts';
import { partitionFor } from '@switchboard/event-log';
import { createRelay, type PublisherOptions, type Relay } from '@switchboard/outbox';
import { createAnnouncementsStore } from './store.ts';

const BATCH_SIZE = 100;
const PARTITIONS = 4;
const RETENTION_MS = 7 * 24 * 3_600_000;

/** Publishes what happens in conversations to the topic `conversations`: at least once, in the order of each. */
export function createAnnouncementsPublisher({ replication, ...options }: PublisherOptions): Relay {
  return createRelay({
    ...options,
    topic: {
      name: CONVERSATIONS_TOPIC,
      partitions: PARTITIONS,
      replication,
      cleanup: 'delete',
      retentionMs: RETENTION_MS,
    },
    source: createAnnouncementsStore,
    recordOf: ({ record }, partitions) => {
      const key = record.conversationId;
      const value = Buffer.from(JSON.stringify(record));
      return { partition: partitionFor(key, partitions), key, value, headers: {} };
    },
    batchSize: BATCH_SIZE,
  });
}
