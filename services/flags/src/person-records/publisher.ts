import { PEOPLE_TOPIC, type PersonRecord, personKey } from '@switchboard/contracts';
import {
  compactedTopic,
  createRelay,
  type PublisherOptions,
  type Relay,
  toPartitionZero,
} from '@switchboard/outbox';
import { type ChangedId, createPersonRecordsStore, personRepublication } from './store.ts';

const BATCH_SIZE = 500;

/** Publishes each change of the person of a distinct id to the topic `people`. */
export function createPeoplePublisher({ replication, ...options }: PublisherOptions): Relay {
  return createRelay({
    ...options,
    topic: compactedTopic(PEOPLE_TOPIC, replication),
    source: createPersonRecordsStore,
    republication: personRepublication,
    recordOf,
    batchSize: BATCH_SIZE,
  });
}

function recordOf({ projectId, distinctId, now }: ChangedId) {
  const record = now && ({ projectId, distinctId, ...now } satisfies PersonRecord);
  return toPartitionZero(personKey(projectId, distinctId), record && Buffer.from(JSON.stringify(record)));
}
