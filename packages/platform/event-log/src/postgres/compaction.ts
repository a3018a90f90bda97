import type { Database } from '@switchboard/database';
import { DEFAULT_TOMBSTONE_RETENTION_MS } from '../topics.ts';

const DELETE_BATCH_SIZE = 5_000;

// An arbitrary key for the lock of the instance that compacts.
const LOCK = 7_926_335_346;

interface PartitionRow {
  topic: string;
  partition: number;
  cleanup: string;
  retention_ms: number | bigint | null;
  tombstone_retention_ms: number | bigint | null;
  next_offset: number | bigint;
  compacted_to: number | bigint;
}

/** Compacts all topics once, unless another instance is doing so. Offsets never change. */
export async function compactAll(database: Database): Promise<void> {
  // Every process looks, so partitions with nothing to remove are left out here and take no transaction.
  const partitions = await database.sql<PartitionRow[]>`
    select p.*, t.cleanup, t.retention_ms, t.tombstone_retention_ms
    from event_log.partitions p join event_log.topics t on t.name = p.topic
    where case t.cleanup
      when 'compact' then p.next_offset > p.compacted_to or exists (
        select from event_log.records r
        where r.topic = p.topic and r.partition = p.partition and r.compacted and r.value is null
          and r."timestamp" < (extract(epoch from now()) * 1000)::bigint
            - coalesce(t.tombstone_retention_ms, ${DEFAULT_TOMBSTONE_RETENTION_MS}))
      else (
        select r."timestamp" from event_log.records r
        where r.topic = p.topic and r.partition = p.partition order by r."offset" limit 1
      ) < (extract(epoch from now()) * 1000)::bigint - t.retention_ms end`;
  for (const row of partitions) {
    let hasMore = true;
    while (hasMore) {
      // Each step is one transaction, which holds the lock. No step blocks others for long.
      hasMore = await database.sql.begin(async (tx) => {
        const [lock] = await tx<{ locked: boolean }[]>`select pg_try_advisory_xact_lock(${LOCK}) as locked`;
        if (!lock?.locked) return false;
        return row.cleanup === 'compact' ? compact(tx, row) : deleteExpired(tx, row);
      });
    }
  }
}

type Transaction = Parameters<Parameters<Database['sql']['begin']>[1]>[0];

async function deleteExpired(
  tx: Transaction,
  { topic, partition, retention_ms }: PartitionRow,
): Promise<boolean> {
  if (retention_ms === null) return false;
  const rows = await tx`
    delete from event_log.records r using (
      select "offset", "timestamp" from event_log.records
      where topic = ${topic} and partition = ${partition} order by "offset" limit ${DELETE_BATCH_SIZE}
    ) as oldest
    where r.topic = ${topic} and r.partition = ${partition} and r."offset" = oldest."offset"
      and oldest."timestamp" < (extract(epoch from now()) * 1000)::bigint - ${String(retention_ms)}::bigint
    returning 1`;
  return rows.length === DELETE_BATCH_SIZE;
}

/** Removes all but the newest record of each key written since the last round, then expired tombstones. */
async function compact(tx: Transaction, row: PartitionRow): Promise<boolean> {
  const { topic, partition } = row;
  const tombstonesMs = row.tombstone_retention_ms ?? DEFAULT_TOMBSTONE_RETENTION_MS;
  const end = BigInt(row.next_offset);
  if (end > BigInt(row.compacted_to)) {
    await tx`
      delete from event_log.records r using (
        select key, max("offset") as newest from event_log.records
        where topic = ${topic} and partition = ${partition} and compacted
          and "offset" >= ${String(row.compacted_to)}::bigint and "offset" < ${String(end)}::bigint
        group by key
      ) as fresh
      where r.topic = ${topic} and r.partition = ${partition} and r.compacted
        and r.key = fresh.key and r."offset" < fresh.newest`;
    await tx`
      update event_log.partitions set compacted_to = ${String(end)}::bigint
      where topic = ${topic} and partition = ${partition}`;
  }
  await tx`
    delete from event_log.records
    where topic = ${topic} and partition = ${partition} and compacted and value is null
      and "offset" < ${String(end)}::bigint
      and "timestamp" < (extract(epoch from now()) * 1000)::bigint - ${String(tombstonesMs)}::bigint`;
  return false;
}
