import { IMPORTS_MAX_COUNT } from '@switchboard/contracts';
import { type Db, removeSome, type Tx } from '@switchboard/database';
import { and, desc, eq, lt, min, or, sql } from 'drizzle-orm';
import { importParts, imports } from '../schema/index.ts';

export type ImportRow = typeof imports.$inferSelect;
export type PartRow = Pick<typeof importParts.$inferSelect, 'sha256' | 'events'>;

/** The key of an import. */
export interface ImportPath {
  projectId: string;
  importId: string;
}

export type PartPath = ImportPath & { part: number };

/** The place of an import in the list. */
export type ImportStart = Pick<ImportRow, 'startedAt' | 'id'>;

export interface ImportsStore {
  find(path: ImportPath): Promise<ImportRow | undefined>;
  /** Locks an import until the transaction ends. Returns whether it exists. */
  lock(path: ImportPath): Promise<boolean>;
  /** Returns imports of a project, newest first. */
  list(projectId: string, after: ImportStart | undefined, limit: number): Promise<ImportRow[]>;
  /** Inserts an import, or sets the total of an existing one. Returns undefined if the project has too many. */
  put(row: typeof imports.$inferInsert): Promise<ImportRow | undefined>;
  /** Returns the lowest number that no imported part has. */
  nextPart(path: ImportPath): Promise<number>;
  findPart(path: PartPath): Promise<PartRow | undefined>;
  /** Returns an offset for the rows of a part. */
  nextPlace(): Promise<bigint>;
  /** Inserts a part and counts it. Returns false if it exists. The caller runs it in a transaction. */
  addPart(path: PartPath, part: PartRow & { place: bigint; at: Date }): Promise<boolean>;
  /** Removes up to `limit` parts of imports that have ended before a time, and then these imports. */
  removeBefore(time: Date, limit: number): Promise<number>;
  oldest(): Promise<Date | undefined>;
  /** Removes the imports of a project, and up to `limit` of their parts. Returns how many parts. */
  removeProject(projectId: string, limit: number): Promise<number>;
}

export function createImportsStore(db: Db | Tx): ImportsStore {
  const isAt = ({ projectId, importId }: ImportPath) =>
    and(eq(imports.projectId, projectId), eq(imports.id, importId));
  const isPart = ({ projectId, importId, part }: PartPath) =>
    and(eq(importParts.projectId, projectId), eq(importParts.importId, importId), eq(importParts.part, part));

  return {
    async find(path) {
      const [row] = await db.select().from(imports).where(isAt(path));
      return row;
    },

    async lock(path) {
      const rows = await db.select({ id: imports.id }).from(imports).where(isAt(path)).for('update');
      return rows.length > 0;
    },

    list: (projectId, after, limit) =>
      db
        .select()
        .from(imports)
        .where(
          and(
            eq(imports.projectId, projectId),
            after &&
              or(
                lt(imports.startedAt, after.startedAt),
                and(eq(imports.startedAt, after.startedAt), lt(imports.id, after.id)),
              ),
          ),
        )
        .orderBy(desc(imports.startedAt), desc(imports.id))
        .limit(limit),

    async put(row) {
      const { totalParts = null } = row;
      const path = isAt({ projectId: row.projectId, importId: row.id });
      const known = sql`coalesce(${totalParts}::integer, ${imports.totalParts})`;
      const [changed] = await db.update(imports).set({ totalParts: known }).where(path).returning();
      if (changed !== undefined) return changed;
      if ((await db.$count(imports, eq(imports.projectId, row.projectId))) >= IMPORTS_MAX_COUNT)
        return undefined;
      const [added] = await db
        .insert(imports)
        .values(row)
        .onConflictDoUpdate({ target: [imports.projectId, imports.id], set: { totalParts: known } })
        .returning();
      return added;
    },

    async nextPart({ projectId, importId }) {
      const [row] = await db.execute<{ next: number }>(sql`
        with own as (
          select part from ${importParts} where project_id = ${projectId} and import_id = ${importId}
        )
        select min(next) as next from (
          select 0 as next
          union all select part + 1 from own
        ) as candidates where next not in (select part from own)`);
      return row?.next ?? 0;
    },

    async findPart(path) {
      const [row] = await db.select().from(importParts).where(isPart(path));
      return row;
    },

    async nextPlace() {
      const [row] = await db.execute<{ place: string }>(
        sql`select nextval(pg_get_serial_sequence('import_parts', 'place'))::text as place`,
      );
      return BigInt(row?.place ?? 0);
    },

    async addPart({ projectId, importId, part }, { at, ...more }) {
      const added = await db
        .insert(importParts)
        .values({ projectId, importId, part, ...more })
        .onConflictDoNothing()
        .returning({ part: importParts.part });
      if (added.length === 0) return false;
      await db
        .update(imports)
        .set({
          parts: sql`${imports.parts} + 1`,
          events: sql`${imports.events} + ${more.events}`,
          updatedAt: at,
        })
        .where(isAt({ projectId, importId }));
      return true;
    },

    async removeBefore(time, limit) {
      const before = time.toISOString();
      const parts = await db.execute(sql`
        delete from ${importParts} where ctid = any(array(
          select part.ctid from ${importParts} as part
            join ${imports} as import on import.project_id = part.project_id and import.id = part.import_id
          where import.updated_at < ${before}::timestamptz limit ${limit}
        )) returning 1`);
      if (parts.length > 0) return parts.length;
      return removeSome(db, imports, { where: lt(imports.updatedAt, time), limit });
    },

    async oldest() {
      const [row] = await db.select({ at: min(imports.updatedAt) }).from(imports);
      return row?.at ?? undefined;
    },

    async removeProject(projectId, limit) {
      await db.delete(imports).where(eq(imports.projectId, projectId));
      return removeSome(db, importParts, { where: eq(importParts.projectId, projectId), limit });
    },
  };
}
