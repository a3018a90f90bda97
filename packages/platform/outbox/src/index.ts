export { oldestAgeSeconds, removeRows } from './queue-table.ts';
export {
  compactedTopic,
  createRelay,
  jsonRecord,
  type OutboxSource,
  occurrencesTopic,
  type PublisherOptions,
  type Relay,
  type RelayLogger,
  type Republication,
  toPartitionZero,
} from './relay.ts';
