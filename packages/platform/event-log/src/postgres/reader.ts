import type { Database } from '@switchboard/database';
import type { Fetched } from '../deliver.ts';
import type { StoredRecord } from '../types.ts';

interface Row {
  end: number | bigint;
  offset: number | bigint | null;
  key: string | null;
  value: Buffer | null;
  headers: Record<string, string>;
  timestamp: number | bigint;
}

const MAX_RECORDS = 1_000;

/** Returns records from an offset, at least one of any size. Without records, `nextOffset` is the partition's end. */
export async function readRecords(
  { sql }: Database,
  from: { topic: string; partition: number; offset: bigint; maxBytes: number },
): Promise<Fetched> {
  const { topic, partition } = from;
  const rows = await sql<Row[]>`
    with found as (
      select *, sum(bytes) over (order by "offset") - bytes as before from (
        select "offset", key, value, headers, "timestamp", bytes from event_log.records
        where topic = ${topic} and partition = ${partition} and "offset" >= ${String(from.offset)}::bigint
        order by "offset" limit ${MAX_RECORDS}
      ) as next
    )
    select p.next_offset as end, f."offset", f.key, f.value, f.headers, f."timestamp"
    from event_log.partitions p left join found f on f.before < ${from.maxBytes}
    where p.topic = ${topic} and p.partition = ${partition}
    order by f."offset"`;
  const records: StoredRecord[] = [];
  for (const { offset, key, value, headers, timestamp } of rows) {
    if (offset === null) continue;
    records.push({
      topic,
      partition,
      offset: BigInt(offset),
      key,
      value,
      headers,
      timestamp: Number(timestamp),
    });
  }
  const last = records.at(-1);
  return {
    topic,
    partition,
    records,
    nextOffset: last ? last.offset + 1n : BigInt(rows[0]?.end ?? from.offset),
  };
}
