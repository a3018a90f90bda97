import { randomUUID } from 'node:crypto';
import { type EventLog, openKafkaLog, openPostgresLog, type StoredRecord } from '@switchboard/event-log';

/** Where the event log is, as settings. */
type LogSettings = { KAFKA_BROKERS: string } | { EVENT_LOG_DATABASE_URL: string };

export function openLog(settings: LogSettings): EventLog {
  return 'KAFKA_BROKERS' in settings
    ? openKafkaLog({ brokers: settings.KAFKA_BROKERS.split(','), clientId: 'test' })
    : openPostgresLog({ url: settings.EVENT_LOG_DATABASE_URL });
}

/** Everything on a topic from some offsets to its current end. */
export async function readTopic(log: EventLog, topic: string, from: bigint[] = []): Promise<StoredRecord[]> {
  const ends = await log.endOffsets(topic);
  const reached = ends.map((end, partition) => (from[partition] ?? 0n) >= end);
  const records: StoredRecord[] = [];
  if (reached.every(Boolean)) return records;
  const done = Promise.withResolvers<void>();
  const consumption = await log.consume({
    group: `test-${randomUUID()}`,
    topics: [topic],
    maxBatchBytes: 8_000_000,
    async handle(batch) {
      const start = from[batch.partition] ?? 0n;
      const end = ends[batch.partition] ?? 0n;
      records.push(...batch.records.filter(({ offset }) => offset >= start && offset < end));
      if (batch.nextOffset >= end) reached[batch.partition] = true;
      if (reached.every(Boolean)) done.resolve();
    },
  });
  await done.promise;
  await consumption.stop();
  return records;
}
