export { type BackgroundConsumer, createConsumer, type FailureLog } from './consuming/consumer.ts';
export { createParsedConsumer } from './consuming/parsed-consumer.ts';
export { createPartitionBuffer } from './consuming/partition-buffer.ts';
export {
  createPartitionWorkers,
  isSameBatch,
  type PartitionWorker,
} from './consuming/partition-workers.ts';
export {
  EventLogBusy,
  EventLogUnavailable,
  PartitionLost,
  RecordTooLarge,
  TopicMismatch,
  UnknownTopic,
} from './errors.ts';
export { type AppliedAcls, applyKafkaAcls, type KafkaAcl } from './kafka/acls.ts';
export type { KafkaConnection, KafkaCredentials } from './kafka/client.ts';
export type { Compression } from './kafka/codecs.ts';
export { type KafkaLogOptions, openKafkaLog } from './kafka/log.ts';
export { repartitionKafkaTopic } from './kafka/topics/repartition.ts';
export { murmur2, partitionFor } from './partition.ts';
export { openPostgresLog, type PostgresLogOptions } from './postgres/log.ts';
export { repartitionPostgresTopic } from './postgres/repartition.ts';
export { publishInOrder } from './publish-in-order.ts';
export { MAX_RECORD_BYTES } from './publisher.ts';
export { readTopic } from './reading.ts';
export type * from './types.ts';
