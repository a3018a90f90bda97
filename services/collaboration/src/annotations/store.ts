import type { Db } from '@switchboard/database';
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

/** Days, both ends inclusive; with a report, its annotations as well as those of the project. */
export interface Range {
  from: string;
  to: string;
  reportId?: string | undefined;
}

/** Where a page begins: after this annotation. */
type Place = Pick<AnnotationRow, 'startsOn' | 'createdAt' | 'id'>;

export interface AnnotationsStore {
  /** Up to so many annotations whose days overlap the range, earliest first, after this one. */
  overlapping(projectId: string, range: Range, limit: number, after?: Place): Promise<AnnotationRow[]>;
  find(projectId: string, id: string): Promise<AnnotationRow | undefined>;
  /** Throws NotFound when its report is gone. */
  add(projectId: string, row: AnnotationRow): Promise<void>;
  /** The changed row; undefined when there is no such annotation. Throws NotFound when its report is gone. */
  change(projectId: string, id: string, change: AnnotationChange): Promise<AnnotationRow | undefined>;
  remove(projectId: string, id: string): Promise<void>;
}

/** Changes are transactions, which the entry of the audit trail joins. */
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

    async add(projectId, row) {
      await db.transaction(async (tx) => {
        if (row.reportId !== null) await requireHeldReport(tx, projectId, row.reportId);
        await tx.insert(annotations).values({ projectId, ...row });
      });
    },

    async change(projectId, id, change) {
      return db.transaction(async (tx) => {
        if (change.reportId !== null) await requireHeldReport(tx, projectId, change.reportId);
        const [row] = await tx.update(annotations).set(change).where(named(projectId, id)).returning(columns);
        return row;
      });
    },

    async remove(projectId, id) {
      await db.transaction((tx) => tx.delete(annotations).where(named(projectId, id)));
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
 * The few that began before the range and reach into it, from the range index, and those that begin in it, which an
 * index has in order: no list of a project is sorted.
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
    // Adding nothing keeps PostgreSQL from the index of starts, which it would read from the earliest on.
    begin(sql`${days} @> daterange(${from}::date - 1, ${from}::date, '[]')`, sql`${startsOn} + 0`),
    begin(sql`${startsOn} between ${from}::date and ${to}::date`, startsOn),
  ];
}

const named = (projectId: string, id: string) =>
  and(eq(annotations.projectId, projectId), eq(annotations.id, id));
