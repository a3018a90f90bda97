export {
  EventLogBusy,
  EventLogUnavailable,
  PartitionLost,
  RecordTooLarge,
  TopicMismatch,
  UnknownTopic,
} from './errors.ts';
export type { KafkaCredentials } from './kafka/client.ts';
export type { Compression } from './kafka/codecs.ts';
export { type KafkaLogOptions, openKafkaLog } from './kafka/log.ts';
export { murmur2, partitionFor } from './partition.ts';
export { openPostgresLog, type PostgresLogOptions } from './postgres/log.ts';
export { MAX_RECORD_BYTES } from './publisher.ts';
export { readTopic } from './reading.ts';
export type * from './types.ts';
