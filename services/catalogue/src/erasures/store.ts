import type { ErasureKind, ErasureState } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import type { DeletedSubject } from '@switchboard/directory';
import { type Page, type PageRequest, toPage } from '@switchboard/http';
import { and, asc, desc, eq, gt, inArray, isNull, lt, min, not, sql } from 'drizzle-orm';
import { erasureParts, erasures, members, projects } from '../schema/index.ts';

export type ErasureRow = typeof erasures.$inferSelect;
export type ErasurePartRow = typeof erasureParts.$inferSelect;

/** A service in a region. */
export interface Part {
  region: string;
  service: string;
}

export interface ErasureSelection extends PageRequest {
  state?: ErasureState | undefined;
  kind?: ErasureKind | undefined;
  projectId?: string | undefined;
  companyId?: string | undefined;
}

export interface ErasuresStore {
  /** Adds erasures, each with these parts. */
  add(erasures: readonly Omit<ErasureRow, 'createdAt'>[], parts: readonly Part[]): Promise<void>;
  /** Returns a page of erasures, newest first. */
  list(selection: ErasureSelection): Promise<Page<ErasureRow>>;
  find(id: string): Promise<ErasureRow | undefined>;
  /**
   * Returns the last erasure of a deleted project or company, or undefined if none with this id was deleted.
   */
  lastOf(subject: DeletedSubject): Promise<{ state: ErasureState; companyId: string | null } | undefined>;
  /** Returns erasures that are not yet complete, oldest first, starting after this one. */
  open(after: string, limit: number): Promise<ErasureRow[]>;
  /** Returns the erasure and locks it until the transaction ends. */
  lock(id: string): Promise<ErasureRow | undefined>;
  /** Returns the parts of these erasures, ordered by region and service within each erasure. */
  parts(ids: readonly string[]): Promise<ErasurePartRow[]>;
  /** Returns false if the part was already done or does not belong to the erasure. */
  markDone(id: string, part: Part): Promise<boolean>;
  /** Saves which person is erased as JSON, or null to delete the record of which person or colleague was erased. */
  saveSubject(id: string, subject: string | null): Promise<void>;
  /** Removes up to `limit` completed erasures from before this time, with their parts. */
  removeDoneBefore(time: Date, limit: number): Promise<number>;
  oldestDone(): Promise<Date | undefined>;
  /** Removes a colleague from every company and returns the companies. */
  removeMemberships(sub: string): Promise<string[]>;
  /** Returns the regions of all projects. */
  regions(): Promise<string[]>;
  /** Returns the age in seconds of the oldest incomplete erasure, or 0 if there is none. */
  oldestSeconds(): Promise<number>;
}

/** Whether a service has not yet completed its part. */
const isRunning = (db: Db | Tx) =>
  sql<boolean>`${inArray(
    erasures.id,
    db.select({ id: erasureParts.erasureId }).from(erasureParts).where(isNull(erasureParts.doneAt)),
  )}`;

export function createErasuresStore(db: Db | Tx): ErasuresStore {
  return {
    async add(rows, parts) {
      if (rows.length === 0) return;
      await db.insert(erasures).values([...rows]);
      if (parts.length === 0) return;
      const list = (values: string[]) => sql`${sql.param(values)}::text[]`;
      await db.execute(sql`
        insert into ${erasureParts} (erasure_id, region, service)
        select erasure_id, region, service from unnest(${list(rows.map(({ id }) => id))}) as erasure_id,
          unnest(${list(parts.map(({ region }) => region))}, ${list(parts.map(({ service }) => service))})
            as part (region, service)`);
    },

    async list({ state, kind, projectId, companyId, cursor, limit }) {
      const rows = await db
        .select()
        .from(erasures)
        .where(
          and(
            cursor === undefined ? undefined : lt(erasures.id, cursor),
            kind === undefined ? undefined : eq(erasures.kind, kind),
            projectId === undefined ? undefined : eq(erasures.projectId, projectId),
            companyId === undefined ? undefined : eq(erasures.companyId, companyId),
            state === undefined ? undefined : state === 'running' ? isRunning(db) : not(isRunning(db)),
          ),
        )
        .orderBy(desc(erasures.id))
        .limit(limit + 1);
      return toPage(rows, limit, ({ id }) => id);
    },

    async find(id) {
      const [row] = await db.select().from(erasures).where(eq(erasures.id, id));
      return row;
    },

    async lastOf(subject) {
      const isOfId =
        subject.kind === 'project'
          ? eq(erasures.projectId, subject.projectId)
          : eq(erasures.companyId, subject.companyId);
      const [row] = await db
        .select({ isRunning: isRunning(db), companyId: erasures.companyId })
        .from(erasures)
        .where(and(isOfId, eq(erasures.kind, subject.kind)))
        .orderBy(desc(erasures.id))
        .limit(1);
      if (row === undefined) return undefined;
      return { state: row.isRunning ? 'running' : 'done', companyId: row.companyId };
    },

    open: (after, limit) =>
      db
        .select()
        .from(erasures)
        .where(and(gt(erasures.id, after), isRunning(db)))
        .orderBy(asc(erasures.id))
        .limit(limit),

    async lock(id) {
      const [row] = await db.select().from(erasures).where(eq(erasures.id, id)).for('update');
      return row;
    },

    async parts(ids) {
      return db
        .select()
        .from(erasureParts)
        .where(inArray(erasureParts.erasureId, [...ids]))
        .orderBy(asc(erasureParts.region), asc(erasureParts.service));
    },

    async markDone(id, { region, service }) {
      const isPart = and(
        eq(erasureParts.erasureId, id),
        eq(erasureParts.region, region),
        eq(erasureParts.service, service),
      );
      const marked = await db
        .update(erasureParts)
        .set({ doneAt: sql`now()` })
        .where(and(isPart, isNull(erasureParts.doneAt)))
        .returning({ service: erasureParts.service });
      return marked.length > 0;
    },

    async saveSubject(id, subject) {
      await db.update(erasures).set({ subject }).where(eq(erasures.id, id));
    },

    async removeDoneBefore(time, limit) {
      return db.transaction(async (tx) => {
        // `subject` is cleared when the last part is done. The row does not change after that.
        const done = await tx
          .select({ id: erasures.id })
          .from(erasures)
          .where(and(isNull(erasures.subject), lt(erasures.createdAt, time)))
          .orderBy(asc(erasures.createdAt))
          .limit(limit);
        const ids = done.map(({ id }) => id);
        await tx.delete(erasureParts).where(inArray(erasureParts.erasureId, ids));
        const removed = await tx
          .delete(erasures)
          .where(inArray(erasures.id, ids))
          .returning({ id: erasures.id });
        return removed.length;
      });
    },

    async oldestDone() {
      const [row] = await db
        .select({ at: min(erasures.createdAt) })
        .from(erasures)
        .where(isNull(erasures.subject));
      return row?.at ?? undefined;
    },

    async removeMemberships(sub) {
      const removed = await db
        .delete(members)
        .where(eq(members.sub, sub))
        .returning({ companyId: members.companyId });
      return removed.map(({ companyId }) => companyId);
    },

    async regions() {
      const rows = await db.selectDistinct({ region: projects.region }).from(projects);
      return rows.map(({ region }) => region);
    },

    async oldestSeconds() {
      const [row] = await db
        .select({ seconds: sql<string | null>`extract(epoch from now() - ${min(erasures.createdAt)})` })
        .from(erasures)
        .innerJoin(erasureParts, and(eq(erasureParts.erasureId, erasures.id), isNull(erasureParts.doneAt)));
      return Math.max(0, Number(row?.seconds ?? 0));
    },
  };
}
