import { CONVERSATIONS_TOPIC } from '@switchboard/contracts';
import {
  createRelay,
  jsonRecord,
  occurrencesTopic,
  type PublisherOptions,
  type Relay,
} from '@switchboard/outbox';
import { createAnnouncementsStore } from './store.ts';

const BATCH_SIZE = 100;

/** Publishes what happens in conversations to the topic `conversations`: at least once, in the order of each. */
export function createAnnouncementsPublisher({ replication, ...options }: PublisherOptions): Relay {
  return createRelay({
    ...options,
    topic: occurrencesTopic(CONVERSATIONS_TOPIC, replication),
    source: createAnnouncementsStore,
    recordOf: ({ record }, partitions) => jsonRecord(record.conversationId, record, partitions),
    batchSize: BATCH_SIZE,
  });
}
