import { isUnavailable, openDatabase } from '@switchboard/database';
import type { PartitionRecords } from '../batcher.ts';
import { EventLogUnavailable, messageOf } from '../errors.ts';
import { RECORDS_CHANNEL } from './feed.ts';
import type { SendConnection } from './sender.ts';

/** Opens a connection that stores all records of a send in one statement and transaction. */
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
      const announced = announcements(batch);
      try {
        // Partitions are locked in a fixed order, so that publishers cannot deadlock. The lock is held until the
        // commit, so that offsets become visible in order and without gaps.
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
          select topic, partition, first,
            (select count(pg_notify(${RECORDS_CHANNEL}, payload)) from unnest(${announced}::text[]) as payload)
          from allocated`;
        return firstOffsets(batch, stored);
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

function inputRows({ topic, partition, records, sizes }: PartitionRecords) {
  return records.map((record, n) => ({
    n,
    topic,
    partition,
    key: record.key === null ? null : text(record.key),
    value: record.value === null ? null : record.value.toString('base64'),
    headers: Object.fromEntries(
      Object.entries(record.headers).map(([name, value]) => [text(name), text(value)]),
    ),
    bytes: sizes[n] ?? 0,
  }));
}

/** Replaces lone surrogates and NUL, which PostgreSQL cannot store, with U+FFFD. */
function text(value: string): string {
  return value.toWellFormed().replaceAll('\0', '\uFFFD');
}

/**
 * Returns the first offsets. Throws if a topic was deleted after its look-up, for example in a recreated database.
 */
function firstOffsets(batch: PartitionRecords[], stored: Allocated[]): number[] {
  const allocated = new Map(stored.map((one) => [`${one.partition} ${one.topic}`, Number(one.first)]));
  return batch.map(({ topic, partition }) => {
    const offset = allocated.get(`${partition} ${topic}`);
    if (offset !== undefined) return offset;
    throw new EventLogUnavailable(`PostgreSQL did not store the records: there is no topic ${topic}`);
  });
}

/** PostgreSQL limits a notification to 7,999 bytes. This many partition numbers fit with the longest topic name. */
const PARTITIONS_PER_ANNOUNCEMENT = 500;

/** Returns the notifications for readers, as JSON: partitions by topic. */
function announcements(batch: PartitionRecords[]): string[] {
  const byTopic = Map.groupBy(batch, ({ topic }) => topic);
  return Array.from(byTopic).flatMap(([topic, of]) => {
    const payloads: string[] = [];
    for (let from = 0; from < of.length; from += PARTITIONS_PER_ANNOUNCEMENT) {
      const some = of.slice(from, from + PARTITIONS_PER_ANNOUNCEMENT);
      payloads.push(JSON.stringify({ [topic]: some.map(({ partition }) => partition) }));
    }
    return payloads;
  });
}
