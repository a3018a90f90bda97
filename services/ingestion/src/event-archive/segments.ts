import type { Database } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { segments } from './schema.ts';

/** Consecutive records of a partition that become files together. Times are those of records in the log. */
export interface Segment {
  partition: number;
  firstOffset: bigint;
  firstAt: number;
  lastOffset: bigint;
  earliestAt: number;
  latestAt: number;
  /** Whether all its files are stored. */
  isStored: boolean;
}

export interface Contents {
  files: number;
  events: number;
  duplicates: number;
}

interface Row extends Record<string, unknown> {
  log_partition: number;
  first_offset: number | bigint;
  first_at: number | bigint;
  last_offset: number | bigint;
  earliest_at: number | bigint;
  latest_at: number | bigint;
  is_stored: boolean;
}

const columns = sql`log_partition, first_offset, first_at, last_offset, earliest_at, latest_at,
  stored_at is not null as is_stored`;

export type Segments = ReturnType<typeof createSegments>;

export function createSegments({ drizzle }: Pick<Database, 'drizzle'>) {
  const around = (partition: number, offset: bigint) =>
    sql`${segments} where log_partition = ${partition} and last_offset >= ${String(offset)}`;

  return {
    /** The segments of this offset: more than one where a topic was made anew. */
    async at(partition: number, offset: bigint): Promise<Segment[]> {
      const rows = await drizzle.execute<Row>(sql`
        select ${columns} from (select * from ${around(partition, offset)} order by last_offset limit 50) as near
        where first_offset <= ${String(offset)} order by first_at desc`);
      return rows.map(segmentOf);
    },

    /** The segment that a record is part of, if anybody has begun it. */
    async containing(partition: number, { offset, timestamp }: { offset: bigint; timestamp: number }) {
      const [row] = await drizzle.execute<Row>(sql`
        select ${columns} from ${around(partition, offset)} and first_offset <= ${String(offset)}
          and ${timestamp} between earliest_at and latest_at
        order by last_offset limit 1`);
      return row && segmentOf(row);
    },

    /** Begins a segment, and returns it as whoever was first has begun it. */
    async begin(wanted: Omit<Segment, 'isStored'>): Promise<Segment> {
      const { partition, firstOffset, firstAt, lastOffset, earliestAt, latestAt } = wanted;
      await drizzle.execute(sql`
        insert into ${segments} (log_partition, first_offset, first_at, last_offset, earliest_at, latest_at)
        values (${partition}, ${String(firstOffset)}, ${firstAt}, ${String(lastOffset)}, ${earliestAt}, ${latestAt})
        on conflict do nothing`);
      const [row] = await drizzle.execute<Row>(sql`
        select ${columns} from ${segments}
        where log_partition = ${partition} and first_offset = ${String(firstOffset)} and first_at = ${firstAt}`);
      if (row === undefined) throw new Error(`the segment of events/${partition} at ${firstOffset} is gone`);
      return segmentOf(row);
    },

    async markStored({ partition, firstOffset, firstAt }: Segment, contents: Contents): Promise<void> {
      await drizzle.execute(sql`
        update ${segments} set stored_at = now(), files = ${contents.files}, events = ${contents.events},
          duplicates = ${contents.duplicates}
        where log_partition = ${partition} and first_offset = ${String(firstOffset)} and first_at = ${firstAt}
          and stored_at is null`);
    },
  };
}

function segmentOf(row: Row): Segment {
  return {
    partition: row.log_partition,
    firstOffset: BigInt(row.first_offset),
    firstAt: Number(row.first_at),
    lastOffset: BigInt(row.last_offset),
    earliestAt: Number(row.earliest_at),
    latestAt: Number(row.latest_at),
    isStored: row.is_stored,
  };
}
