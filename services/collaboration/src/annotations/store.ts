import type { Db } from '@switchboard/database';
import { and, eq, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
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

export interface AnnotationsStore {
  /** Annotations whose days overlap the range, earliest first. */
  overlapping(projectId: string, range: Range): Promise<AnnotationRow[]>;
  find(projectId: string, id: string): Promise<AnnotationRow | undefined>;
  add(projectId: string, row: AnnotationRow): Promise<void>;
  /** The changed row; undefined when there is no such annotation. */
  change(projectId: string, id: string, change: AnnotationChange): Promise<AnnotationRow | undefined>;
  remove(projectId: string, id: string): Promise<void>;
}

export function createAnnotationsStore(db: Db): AnnotationsStore {
  return {
    async overlapping(projectId, range) {
      return selectOverlapping(db, projectId, range);
    },

    async find(projectId, id) {
      const [row] = await db.select(columns).from(annotations).where(named(projectId, id));
      return row;
    },

    async add(projectId, row) {
      await db.insert(annotations).values({ projectId, ...row });
    },

    async change(projectId, id, change) {
      const [row] = await db.update(annotations).set(change).where(named(projectId, id)).returning(columns);
      return row;
    },

    async remove(projectId, id) {
      await db.delete(annotations).where(named(projectId, id));
    },
  };
}

function selectOverlapping(db: Db, projectId: string, range: Range) {
  const ofProject = selectInScope(db, projectId, '', range);
  const found =
    range.reportId === undefined
      ? ofProject.$dynamic()
      : unionAll(ofProject, selectInScope(db, projectId, range.reportId, range)).$dynamic();
  return found.orderBy(sql`starts_on, created_at, id`);
}

/** One search of the range index; the scope is a report, or empty for the whole project. */
function selectInScope(db: Db, projectId: string, scope: string, { from, to }: Range) {
  const range = sql`daterange(${from}::date, ${to}::date, '[]')`;
  return db
    .select(columns)
    .from(annotations)
    .where(
      and(
        eq(annotations.projectId, projectId),
        eq(annotations.scope, scope),
        sql`${annotations.days} && ${range}`,
      ),
    );
}

const named = (projectId: string, id: string) =>
  and(eq(annotations.projectId, projectId), eq(annotations.id, id));
