export { oldestAgeSeconds, removeRows } from './queue-table.ts';
export {
  compactedTopic,
  createRelay,
  type OutboxSource,
  type PublisherOptions,
  type Relay,
  type RelayLogger,
  type Republication,
  toPartitionZero,
} from './relay.ts';
