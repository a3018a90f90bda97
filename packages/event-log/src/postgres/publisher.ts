import { isUnavailable, openDatabase } from '@switchboard/database';
import type { TopicRecords } from '../batcher.ts';
import { EventLogUnavailable, messageOf } from '../errors.ts';
import { firstOffsets } from '../first-offsets.ts';
import type { SendConnection } from '../sender.ts';
import { RECORDS_CHANNEL } from './feed.ts';

/** A connection that stores all records of a send in one statement and transaction. */
export async function openPublishConnection(options: {
  url: string;
  timeoutMs: number;
  ready(): Promise<void>;
}): Promise<SendConnection> {
  await options.ready();
  const database = openDatabase({
    url: options.url,
    applicationName: 'event-log publisher',
    poolSize: 1,
    statementTimeoutMs: options.timeoutMs,
    connectTimeoutMs: Math.min(3_000, options.timeoutMs),
  });
  return {
    async send(batch) {
      const input = JSON.stringify(batch.flatMap(inputRows));
      const wake = JSON.stringify(partitionsByTopic(batch));
      try {
        // Partitions are locked in one order, so that publishers cannot deadlock. The lock is held until the commit,
        // so that offsets become visible in order and without gaps.
        const stored = await database.sql<Allocated[]>`
          with input as (
            select * from json_to_recordset(${input}::json)
              as t(n int, topic text, partition int, key text, value text, headers jsonb, bytes int)
          ), counts as (
            select topic, partition, count(*) as count from input group by topic, partition
          ), locked as (
            select p.topic, p.partition, p.next_offset from event_log.partitions p
            where (p.topic, p.partition) in (select topic, partition from counts)
            order by p.topic, p.partition for update
          ), allocated as (
            update event_log.partitions p set next_offset = l.next_offset + c.count
            from locked l join counts c using (topic, partition)
            where p.topic = l.topic and p.partition = l.partition
            returning p.topic, p.partition, l.next_offset as first
          ), stored as (
            insert into event_log.records
              (topic, partition, "offset", key, value, headers, "timestamp", bytes, compacted)
            select i.topic, i.partition,
              a.first + row_number() over (partition by i.topic, i.partition order by i.n) - 1,
              i.key, decode(i.value, 'base64'), i.headers,
              (extract(epoch from clock_timestamp()) * 1000)::bigint, i.bytes, t.cleanup = 'compact'
            from input i join allocated a using (topic, partition) join event_log.topics t on t.name = i.topic
          )
          select topic, partition, first, pg_notify(${RECORDS_CHANNEL}, ${wake}) from allocated`;
        const missing = missingTopic(batch, stored);
        if (missing !== undefined) {
          throw new EventLogUnavailable(`PostgreSQL did not store the records: there is no topic ${missing}`);
        }
        return firstOffsets(stored.map((one) => ({ ...one, offset: Number(one.first) })));
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        throw new EventLogUnavailable(`PostgreSQL did not store the records: ${messageOf(error)}`, {
          cause: error,
        });
      }
    },
    close: () => database.close(),
  };
}

interface Allocated {
  topic: string;
  partition: number;
  first: number | bigint;
}

function inputRows({ topic, records, sizes }: TopicRecords, topicIndex: number) {
  return records.map((record, i) => ({
    n: topicIndex * 1_000_000 + i,
    topic,
    partition: record.partition,
    key: record.key === null ? null : text(record.key),
    value: record.value === null ? null : record.value.toString('base64'),
    headers: Object.fromEntries(
      Object.entries(record.headers).map(([name, value]) => [text(name), text(value)]),
    ),
    bytes: sizes[i] ?? 0,
  }));
}

/** Replaces what PostgreSQL cannot store: lone surrogates and NUL become U+FFFD. */
function text(value: string): string {
  return value.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** The topic was deleted after its lookup, for example because the database was recreated. */
function missingTopic(batch: TopicRecords[], stored: Allocated[]): string | undefined {
  const allocated = new Set(stored.map(({ topic, partition }) => `${partition} ${topic}`));
  return batch.find(({ topic, records }) =>
    records.some(({ partition }) => !allocated.has(`${partition} ${topic}`)),
  )?.topic;
}

function partitionsByTopic(batch: TopicRecords[]): Record<string, number[]> {
  return Object.fromEntries(
    batch.map(({ topic, records }) => [topic, [...new Set(records.map((record) => record.partition))]]),
  );
}
