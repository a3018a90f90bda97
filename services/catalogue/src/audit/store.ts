import type { AuditEntry, AuditOutcome } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { and, asc, desc, eq, gte, inArray, lt, min, or, sql } from 'drizzle-orm';
import { auditEntries } from '../schema/index.ts';

/** The entry after which a page begins. */
export interface Position {
  at: string;
  id: string;
}

/** Filters for entries. Each property narrows the selection. */
export interface AuditSelection {
  companyId?: string | undefined;
  projectId?: string | undefined;
  actor?: string | undefined;
  action?: string | undefined;
  object?: string | undefined;
  outcome?: AuditOutcome | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

export interface AuditStore {
  /** Adds entries. Entries that already exist are unchanged. */
  add(entries: readonly AuditEntry[]): Promise<void>;
  /** Returns entries as JSON, newest first. */
  list(
    selection: AuditSelection,
    after: Position | undefined,
    limit: number,
  ): Promise<(Position & { entry: string })[]>;
  /** Removes up to `limit` entries from before this time and returns the number removed. */
  removeBefore(time: Date, limit: number): Promise<number>;
  oldest(): Promise<Date | undefined>;
  oldestOf(companyId: string): Promise<Date | undefined>;
}

export function createAuditStore(db: Db | Tx): AuditStore {
  return {
    async add(entries) {
      const rows = entries.map((entry) => ({
        id: entry.id,
        at: new Date(entry.at),
        companyId: entry.companyId,
        projectId: entry.projectId,
        actorId: entry.actor.id,
        tokenId: entry.actor.tokenId,
        action: entry.action,
        object: entry.object,
        outcome: entry.outcome,
        entry: JSON.stringify(entry),
      }));
      await db.insert(auditEntries).values(rows).onConflictDoNothing();
    },

    async list({ companyId, projectId, actor, action, object, outcome, from, to }, after, limit) {
      const { at, id } = auditEntries;
      const rows = await db
        .select({ at, id, entry: auditEntries.entry })
        .from(auditEntries)
        .where(
          and(
            companyId === undefined ? undefined : eq(auditEntries.companyId, companyId),
            projectId === undefined ? undefined : eq(auditEntries.projectId, projectId),
            actor === undefined
              ? undefined
              : or(eq(auditEntries.actorId, actor), eq(auditEntries.tokenId, actor)),
            action === undefined ? undefined : eq(auditEntries.action, action),
            object === undefined ? undefined : eq(auditEntries.object, object),
            outcome === undefined ? undefined : eq(auditEntries.outcome, outcome),
            from === undefined ? undefined : gte(at, from),
            to === undefined ? undefined : lt(at, to),
            after === undefined ? undefined : sql`(${at}, ${id}) < (${after.at}::timestamptz, ${after.id})`,
          ),
        )
        .orderBy(desc(at), desc(id))
        .limit(limit);
      return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
    },

    async removeBefore(time, limit) {
      const oldest = db
        .select({ id: auditEntries.id })
        .from(auditEntries)
        .where(lt(auditEntries.at, time))
        .orderBy(asc(auditEntries.at))
        .limit(limit);
      const removed = await db
        .delete(auditEntries)
        .where(inArray(auditEntries.id, oldest))
        .returning({ id: auditEntries.id });
      return removed.length;
    },

    async oldest() {
      const [row] = await db.select({ at: min(auditEntries.at) }).from(auditEntries);
      return row?.at ?? undefined;
    },

    async oldestOf(companyId) {
      const [row] = await db
        .select({ at: min(auditEntries.at) })
        .from(auditEntries)
        .where(eq(auditEntries.companyId, companyId));
      return row?.at ?? undefined;
    },
  };
}
