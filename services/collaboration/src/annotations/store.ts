import { type Db, type Transactor, tryTransaction } from '@switchboard/database';
import { and, asc, eq, type SQL, sql } from 'drizzle-orm';
import { requireHeldReport } from '../directory/reports.ts';
import { annotations } from '../schema/index.ts';

const columns = {
  id: annotations.id,
  reportId: annotations.reportId,
  startsOn: annotations.startsOn,
  endsOn: annotations.endsOn,
  text: annotations.text,
  tags: annotations.tags,
  createdBySub: annotations.createdBySub,
  createdAt: annotations.createdAt,
  updatedAt: annotations.updatedAt,
};

export interface AnnotationRow {
  id: string;
  reportId: string | null;
  startsOn: string;
  endsOn: string;
  text: string;
  tags: string[];
  createdBySub: string;
  createdAt: Date;
  updatedAt: Date;
}

export type AnnotationChange = Pick<
  AnnotationRow,
  'reportId' | 'startsOn' | 'endsOn' | 'text' | 'tags' | 'updatedAt'
>;

/** A range of days, both ends inclusive. With a report, selects its annotations and those of the project. */
export interface Range {
  from: string;
  to: string;
  reportId?: string | undefined;
}

/** The annotation after which a page begins. */
type Place = Pick<AnnotationRow, 'startsOn' | 'createdAt' | 'id'>;

export interface AnnotationsStore {
  /** Returns up to `limit` annotations that overlap the range, earliest first, starting after this one. */
  overlapping(projectId: string, range: Range, limit: number, after?: Place): Promise<AnnotationRow[]>;
  find(projectId: string, id: string): Promise<AnnotationRow | undefined>;
  /** Throws NotFound when the report of the annotation no longer exists. */
  add(projectId: string, row: AnnotationRow, within: Transactor): Promise<void>;
  /**
   * Returns the changed row, or undefined if the annotation does not exist. Throws NotFound when its report no
   * longer exists.
   */
  change(
    projectId: string,
    id: string,
    change: AnnotationChange,
    within: Transactor,
  ): Promise<AnnotationRow | undefined>;
  remove(projectId: string, id: string, within: Transactor): Promise<void>;
}

export function createAnnotationsStore(db: Db): AnnotationsStore {
  return {
    async overlapping(projectId, range, limit, after) {
      const scopes = range.reportId === undefined ? [''] : ['', range.reportId];
      const parts = scopes.flatMap((scope) => partsOf(db, { projectId, scope, range, limit, after }));
      const [first, ...others] = parts;
      if (first === undefined) return [];
      const found = others.reduce((all, part) => all.unionAll(part), first);
      return found.orderBy(sql`starts_on, created_at, id`).limit(limit);
    },

    async find(projectId, id) {
      const [row] = await db.select(columns).from(annotations).where(named(projectId, id));
      return row;
    },

    async add(projectId, row, within) {
      await within.transaction(async (tx) => {
        if (row.reportId !== null) await requireHeldReport(tx, projectId, row.reportId);
        await tx.insert(annotations).values({ projectId, ...row });
      });
    },

    async change(projectId, id, change, within) {
      return tryTransaction<AnnotationRow | undefined>(within, async (tx, undo) => {
        if (change.reportId !== null) await requireHeldReport(tx, projectId, change.reportId);
        const [row] = await tx.update(annotations).set(change).where(named(projectId, id)).returning(columns);
        return row ?? undo(undefined);
      });
    },

    async remove(projectId, id, within) {
      await within.transaction((tx) => tx.delete(annotations).where(named(projectId, id)));
    },
  };
}

interface Part {
  projectId: string;
  /** A report, or empty for the whole project. */
  scope: string;
  range: Range;
  limit: number;
  after: Place | undefined;
}

/**
 * Returns two queries: the few annotations that began before the range and reach into it, from the range index,
 * and those that begin in it, from an ordered index. No list of a project needs sorting.
 */
function partsOf(db: Db, { projectId, scope, range: { from, to }, limit, after }: Part) {
  const { startsOn, createdAt, id, days } = annotations;
  const begin = (isWanted: SQL, start: SQL | typeof startsOn) => {
    const isAfter =
      after &&
      sql`(${start}, ${createdAt}, ${id}) > (${after.startsOn}::date, ${after.createdAt.toISOString()}::timestamptz, ${after.id})`;
    return db
      .select(columns)
      .from(annotations)
      .where(and(eq(annotations.projectId, projectId), eq(annotations.scope, scope), isWanted, isAfter))
      .orderBy(asc(start), asc(createdAt), asc(id))
      .limit(limit)
      .$dynamic();
  };
  return [
    // Adding 0 prevents PostgreSQL from using the index of starts, which it would scan from the earliest start.
    begin(sql`${days} @> daterange(${from}::date - 1, ${from}::date, '[]')`, sql`${startsOn} + 0`),
    begin(sql`${startsOn} between ${from}::date and ${to}::date`, startsOn),
  ];
}

const named = (projectId: string, id: string) =>
  and(eq(annotations.projectId, projectId), eq(annotations.id, id));
