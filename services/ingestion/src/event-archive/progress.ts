import type { Database } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { progress } from './schema.ts';

/** How far a partition has been looked at. */
export interface Progress {
  partition: number;
  nextOffset: bigint;
  /** When the last event looked at was accepted. */
  acceptedAt: string;
}

interface Reached extends Omit<Progress, 'acceptedAt'> {
  recordedAt: number;
  acceptedAt: number;
}

/** Remembers how far a partition is looked at; later records only, or those of a topic made anew. */
export async function saveProgress({ drizzle }: Pick<Database, 'drizzle'>, reached: Reached): Promise<void> {
  const { partition, nextOffset, recordedAt, acceptedAt } = reached;
  await drizzle.execute(sql`
    insert into ${progress} as known (log_partition, next_offset, recorded_at, accepted_at)
    values (${partition}, ${String(nextOffset)}, ${recordedAt}, ${new Date(acceptedAt).toISOString()})
    on conflict (log_partition) do update set next_offset = excluded.next_offset,
      recorded_at = excluded.recorded_at, accepted_at = excluded.accepted_at
    where excluded.next_offset > known.next_offset or excluded.recorded_at > known.recorded_at`);
}

export async function readProgress({ drizzle }: Pick<Database, 'drizzle'>): Promise<Progress[]> {
  const rows = await drizzle
    .select({
      partition: progress.logPartition,
      nextOffset: progress.nextOffset,
      acceptedAt: progress.acceptedAt,
    })
    .from(progress);
  return rows.map((row) => ({
    partition: row.partition,
    nextOffset: BigInt(row.nextOffset),
    acceptedAt: new Date(row.acceptedAt).toISOString(),
  }));
}
