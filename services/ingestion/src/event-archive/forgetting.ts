import type { Database } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import { deadLetters, duplicates, segments, sightings } from './schema.ts';

const ROWS_A_STATEMENT = 5000;
const STATEMENTS_A_ROUND = 40;
const DAYS_OF_SIGHTINGS = 7;
/** Kafka may keep a record longer than its retention says, by up to the age of a log file. */
const DAYS_OF_GRACE = 31;

/**
 * Removes sightings older than seven days, and segments whose records the log cannot have any more, in statements
 * that are short each. Resolves with the number of rows.
 */
export async function forgetOld(
  { drizzle }: Pick<Database, 'drizzle'>,
  { retentionHours }: { retentionHours: number },
): Promise<number> {
  const ofSightings = sql`seen_at < now() - interval '1 day' * ${DAYS_OF_SIGHTINGS}`;
  const ofSegments = sql`created_at < now() - interval '1 day' * ${DAYS_OF_GRACE} - interval '1 hour' * ${retentionHours}`;
  let rows = 0;
  rows += await removeSome(sightings, ofSightings);
  rows += await removeSome(duplicates, ofSightings);
  rows += await removeSome(deadLetters, ofSightings);
  rows += await removeSome(segments, ofSegments);
  return rows;

  async function removeSome(table: PgTable, isOld: typeof ofSightings): Promise<number> {
    let total = 0;
    for (let statement = 0; statement < STATEMENTS_A_ROUND; statement++) {
      const removed = await drizzle.execute(sql`
        delete from ${table} where ctid = any(array(
          select ctid from ${table} where ${isOld} limit ${ROWS_A_STATEMENT} for update skip locked
        )) returning 1`);
      total += removed.length;
      if (removed.length < ROWS_A_STATEMENT) break;
    }
    return total;
  }
}
