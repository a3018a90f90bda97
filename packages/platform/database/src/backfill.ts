import { sql } from 'drizzle-orm';
import type { Db, Tx } from './database.ts';
import { backfills } from './schema.ts';

/**
 * Changes up to `limit` rows that follow the given key, in key order. Returns the number of rows that it looked at
 * and the key of the last one. Fewer rows than the limit mean that no others follow.
 */
export type BackfillBatch = (
  tx: Tx,
  after: readonly string[] | undefined,
  limit: number,
) => Promise<{ rows: number; last: readonly string[] | undefined }>;

/** A change of every row of a table that runs while the service runs. */
export interface Backfill {
  /** The name of the checkpoint and the `backfill` label of the metrics. It must never change. */
  name: string;
  batch: BackfillBatch;
}

interface Step {
  name: string;
  batch: BackfillBatch;
  limit: number;
  /** The rate of all processes of the database together. */
  rowsPerSecond: number;
}

interface StepResult {
  isDone: boolean;
  rows: number;
  /** Milliseconds until the next batch may begin. */
  waitMs: number;
}

const IDLE_MS = 1_000;

/**
 * Runs the next batch of a backfill and moves its checkpoint, in one transaction. Does nothing while another process
 * runs a batch, before the next batch is due, and once the backfill is done.
 */
export async function stepBackfill(db: Db, { name, batch, limit, rowsPerSecond }: Step): Promise<StepResult> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`insert into ${backfills} (name) values (${name}) on conflict do nothing`);
    const [state] = await tx.execute<{ position: string[] | null; is_done: boolean; wait_ms: number }>(sql`
      select position, done_at is not null as is_done,
        extract(epoch from next_at - clock_timestamp())::float8 * 1000 as wait_ms
      from ${backfills} where name = ${name} for update skip locked`);
    if (state === undefined) return { isDone: false, rows: 0, waitMs: IDLE_MS };
    if (state.is_done) return { isDone: true, rows: 0, waitMs: 0 };
    // A wait longer than the maximum means that the clock was set back.
    const isDue = state.wait_ms <= 0 || state.wait_ms > (limit / rowsPerSecond) * 1000;
    if (!isDue) return { isDone: false, rows: 0, waitMs: state.wait_ms };
    const { rows, last } = await batch(tx, state.position ?? undefined, limit);
    const isDone = rows < limit;
    const seconds = rows / rowsPerSecond;
    await tx.execute(sql`
      update ${backfills} set rows = rows + ${rows},
        position = ${isDone || last === undefined ? null : JSON.stringify(last)}::json,
        next_at = clock_timestamp() + interval '1 second' * ${seconds},
        done_at = case when ${isDone}::boolean then now() end
      where name = ${name}`);
    return { isDone, rows, waitMs: seconds * 1000 };
  });
}
