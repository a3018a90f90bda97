import type { Database } from '@switchboard/database';
import type { RecordBatch } from '@switchboard/event-log';
import { sql } from 'drizzle-orm';
import type { Tx } from '../db.ts';
import { appliedPositions } from '../schema.ts';

/** How far the records of one partition are applied. */
export interface AppliedPosition {
  topic: string;
  partition: number;
  /** Every record below it is applied. */
  nextOffset: number;
  /** When the newest applied record was stored. */
  asOf: Date;
}

export function positionAfter({ topic, partition, records, nextOffset }: RecordBatch): AppliedPosition {
  const newest = records.reduce((latest, { timestamp }) => Math.max(latest, timestamp), 0);
  return { topic, partition, nextOffset: Number(nextOffset), asOf: new Date(newest) };
}

/**
 * Notes a position in the transaction that applies what is below it. A batch that is delivered again moves nothing
 * back: its records are no newer than what was applied. Newer ones at a lower offset are those of a topic made anew.
 */
export async function savePosition(tx: Tx, position: AppliedPosition): Promise<void> {
  const [last, next] = [appliedPositions, sql`excluded`];
  const moves = sql`${next}.next_offset > ${last.nextOffset} or ${next}.as_of > ${last.asOf}`;
  await tx
    .insert(appliedPositions)
    .values(position)
    .onConflictDoUpdate({
      target: [last.topic, last.partition],
      set: {
        nextOffset: sql`case when ${moves} then ${next}.next_offset else ${last.nextOffset} end`,
        asOf: sql`greatest(${last.asOf}, ${next}.as_of)`,
      },
    });
}

/** All of them: one a partition. */
export function readPositions({ drizzle }: Pick<Database, 'drizzle'>): Promise<AppliedPosition[]> {
  return drizzle.select().from(appliedPositions);
}
