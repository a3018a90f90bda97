import { fnv1a, MAX_COUNTED_USAGE } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { eventFiles, replays } from '../schema/index.ts';

export interface UsageStore {
  /** Counts recordings that began to arrive since then, up to MAX_COUNTED_USAGE. */
  countRecordings(projectId: string, since: Date): Promise<number>;
  oldestRecording(projectId: string): Promise<Date | undefined>;
  /** Returns the first UTC day of files that may have events of the project. */
  oldestEventDay(projectId: string): Promise<string | undefined>;
}

export function createUsageStore(db: Db): UsageStore {
  return {
    async countRecordings(projectId, since) {
      const [row] = await db.execute<{ count: number }>(sql`select count(*)::int as count from (
        select from ${replays} where project_id = ${projectId} and deleted_at is null
          and received_at >= ${since.toISOString()}::timestamptz limit ${MAX_COUNTED_USAGE}) as counted`);
      return row?.count ?? 0;
    },

    async oldestRecording(projectId) {
      const [row] = await db.execute<{ oldest: string | null }>(sql`
        select min(received_at) as oldest from ${replays}
        where project_id = ${projectId} and deleted_at is null`);
      return row?.oldest == null ? undefined : new Date(row.oldest);
    },

    async oldestEventDay(projectId) {
      const [row] = await db.execute<{ day: string }>(sql`
        select day::text as day from ${eventFiles}
        where replaced_at is null and deleted_at is null and (project_id = ${projectId} or (project_id is null
          and (bucket is null or bucket = ${fnv1a(projectId)}::bigint % buckets)))
        order by day limit 1`);
      return row?.day;
    },
  };
}
