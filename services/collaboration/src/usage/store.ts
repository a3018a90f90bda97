import type { Db } from '@switchboard/database';
import { type SQL, sql } from 'drizzle-orm';
import { reportRuns, shares, threads } from '../schema/index.ts';

/** The earliest data of a project. */
export interface UsageStore {
  oldestThread(projectId: string): Promise<Date | undefined>;
  oldestShare(projectId: string): Promise<Date | undefined>;
  oldestRun(projectId: string): Promise<Date | undefined>;
}

export function createUsageStore(db: Db): UsageStore {
  const dateOf = async (query: SQL) => {
    const [row] = await db.execute<{ oldest: string | null }>(query);
    return row?.oldest == null ? undefined : new Date(row.oldest);
  };
  return {
    oldestThread: (projectId) =>
      dateOf(sql`select min(created_at) as oldest from ${threads} where project_id = ${projectId}`),
    oldestShare: (projectId) =>
      dateOf(sql`select min(created_at) as oldest from ${shares} where project_id = ${projectId}`),
    oldestRun: (projectId) =>
      dateOf(sql`select min(ran_at) as oldest from ${reportRuns} where project_id = ${projectId}`),
  };
}
