import type { Rejection, RejectionsRecord } from '@switchboard/contracts';
import { type Db, type ExpiringData, removeSome } from '@switchboard/database';
import { and, desc, eq, gte, lt, max, min, sql } from 'drizzle-orm';
import { rejections } from '../schema/index.ts';

const HOUR_MS = 3_600_000;
/** The rows of a project and hour, from which on new reasons are left out. */
const MAX_ROWS_PER_HOUR = 100;
const MAX_LISTED = 50;
const KEPT_DAYS = 7;
const ROWS_PER_STATEMENT = 1_000;

export interface RejectionsStore {
  /** Adds to the counts. Reasons beyond about 100 of a project and hour are left out. */
  add(record: RejectionsRecord): Promise<void>;
  /** Returns the reasons since a time with most requests. Default of `limit`: 50. */
  list(projectId: string, since: Date, limit?: number): Promise<Rejection[]>;
  removeProject(projectId: string): Promise<void>;
}

const hourOf = (time: number) => new Date(Math.floor(time / HOUR_MS) * HOUR_MS);

export function createRejectionsStore(db: Db): RejectionsStore {
  return {
    async add({ projectId, at, reasons }) {
      const hour = hourOf(Date.parse(at)).toISOString();
      const texts = (values: readonly string[]) => sql`${sql.param([...values])}::text[]`;
      const numbers = (values: readonly number[]) => sql`${sql.param(values.map(String))}::text[]::bigint[]`;
      // Sorted, so that two writers cannot deadlock.
      await db.execute(sql`
        insert into ${rejections} as known (project_id, hour, operation, status, reason, requests, last_at)
        select ${projectId}, ${hour}::timestamptz, operation, status, reason, requests, ${at}::timestamptz
        from unnest(
          ${texts(reasons.map(({ operation }) => operation))}, ${numbers(reasons.map(({ status }) => status))},
          ${texts(reasons.map(({ reason }) => reason))}, ${numbers(reasons.map(({ requests }) => requests))}
        ) as sent(operation, status, reason, requests)
        where exists (select from ${rejections} as same
            where same.project_id = ${projectId} and same.hour = ${hour}::timestamptz
              and same.operation = sent.operation and same.status = sent.status and same.reason = sent.reason)
          or (select count(*) from ${rejections} as hourly
            where hourly.project_id = ${projectId} and hourly.hour = ${hour}::timestamptz) < ${MAX_ROWS_PER_HOUR}
        order by operation, status, reason
        on conflict (project_id, hour, operation, status, reason) do update set
          requests = known.requests + excluded.requests,
          last_at = greatest(known.last_at, excluded.last_at)`);
    },

    async list(projectId, since, limit = MAX_LISTED) {
      const requests = sql<string>`sum(${rejections.requests})`;
      const rows = await db
        .select({
          operation: rejections.operation,
          status: rejections.status,
          reason: rejections.reason,
          requests,
          lastAt: max(rejections.lastAt),
        })
        .from(rejections)
        .where(and(eq(rejections.projectId, projectId), gte(rejections.hour, hourOf(since.getTime()))))
        .groupBy(rejections.operation, rejections.status, rejections.reason)
        .orderBy(desc(requests), rejections.operation, rejections.status, rejections.reason)
        .limit(limit);
      return rows.map(({ lastAt, ...row }) => ({
        ...row,
        requests: Number(row.requests),
        lastAt: (lastAt ?? since).toISOString(),
      }));
    },

    async removeProject(projectId) {
      await db.delete(rejections).where(eq(rejections.projectId, projectId));
    },
  };
}

/** Returns the counts that are older than a week. */
export function oldRejections(db: Db): ExpiringData {
  return {
    kind: 'rejections',
    days: KEPT_DAYS,
    async removeBefore(time) {
      const where = lt(rejections.hour, time);
      return { rows: await removeSome(db, rejections, { where, limit: ROWS_PER_STATEMENT }) };
    },
    async oldest() {
      const [row] = await db.select({ at: min(rejections.hour) }).from(rejections);
      return row?.at ?? undefined;
    },
  };
}
