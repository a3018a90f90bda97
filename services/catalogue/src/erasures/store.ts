import type { ErasureState } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { type Page, type PageRequest, toPage } from '@switchboard/service-kit';
import { and, asc, desc, eq, inArray, isNull, lt, min, not, sql } from 'drizzle-orm';
import { erasureParts, erasures, members, projects } from '../schema/index.ts';

export type ErasureRow = typeof erasures.$inferSelect;
export type ErasurePartRow = typeof erasureParts.$inferSelect;

/** A service of a region. */
export interface Part {
  region: string;
  service: string;
}

export interface ErasureSelection extends PageRequest {
  state?: ErasureState | undefined;
}

export interface ErasuresStore {
  add(erasure: Omit<ErasureRow, 'createdAt'>, parts: readonly Part[]): Promise<void>;
  /** A page of erasures, newest first. */
  list(selection: ErasureSelection): Promise<Page<ErasureRow>>;
  find(id: string): Promise<ErasureRow | undefined>;
  /** The erasure, locked until the transaction ends. */
  lock(id: string): Promise<ErasureRow | undefined>;
  /** The parts of these erasures, each erasure's by region and service. */
  parts(ids: readonly string[]): Promise<ErasurePartRow[]>;
  /** False when the part was done before or is none of the erasure's. */
  markDone(id: string, part: Part): Promise<boolean>;
  /** Forgets whose data was erased. */
  forgetSubject(id: string): Promise<void>;
  /** Removes up to so many of the erasures from before this time that every service has done, with their parts. */
  removeDoneBefore(time: Date, limit: number): Promise<number>;
  oldestDone(): Promise<Date | undefined>;
  /** Removes a colleague from every company, and returns the companies. */
  removeMemberships(sub: string): Promise<string[]>;
  /** The regions of all projects. */
  regions(): Promise<string[]>;
  /** Age in seconds of the oldest erasure that is not done; 0 when there is none. */
  oldestSeconds(): Promise<number>;
}

export function createErasuresStore(db: Db | Tx): ErasuresStore {
  return {
    async add(erasure, parts) {
      await db.insert(erasures).values(erasure);
      if (parts.length === 0) return;
      await db.insert(erasureParts).values(parts.map((part) => ({ erasureId: erasure.id, ...part })));
    },

    async list({ state, cursor, limit }) {
      const open = db
        .select({ id: erasureParts.erasureId })
        .from(erasureParts)
        .where(isNull(erasureParts.doneAt));
      const isRunning = inArray(erasures.id, open);
      const rows = await db
        .select()
        .from(erasures)
        .where(
          and(
            cursor === undefined ? undefined : lt(erasures.id, cursor),
            state === undefined ? undefined : state === 'running' ? isRunning : not(isRunning),
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

    async forgetSubject(id) {
      await db.update(erasures).set({ subject: null }).where(eq(erasures.id, id));
    },

    async removeDoneBefore(time, limit) {
      return db.transaction(async (tx) => {
        // `subject` is forgotten with the last part, and nothing changes after that.
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
