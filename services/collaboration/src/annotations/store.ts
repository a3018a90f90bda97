import type { Database } from '@switchboard/database';
import { and, eq, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { annotations } from '../schema.ts';

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

export interface Range {
  from: string;
  to: string;
  reportId?: string | undefined;
}

export type AnnotationStore = ReturnType<typeof createAnnotationStore>;

const ofProject = (projectId: string, id: string) =>
  and(eq(annotations.projectId, projectId), eq(annotations.id, id));

export function createAnnotationStore({ drizzle }: Pick<Database, 'drizzle'>) {
  /** One search of the range index: a scope is a report, or nothing for the whole project. */
  function inScope(projectId: string, scope: string, { from, to }: Range) {
    const range = sql`daterange(${from}::date, ${to}::date, '[]')`;
    return drizzle
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

  /** The query behind `overlapping`, for a test of what it reads. */
  function overlap(projectId: string, range: Range) {
    const ofWhole = inScope(projectId, '', range);
    const found =
      range.reportId === undefined
        ? ofWhole.$dynamic()
        : unionAll(ofWhole, inScope(projectId, range.reportId, range)).$dynamic();
    return found.orderBy(sql`starts_on, created_at, id`);
  }

  return {
    overlap,

    async overlapping(projectId: string, range: Range): Promise<AnnotationRow[]> {
      return overlap(projectId, range);
    },

    async find(projectId: string, id: string): Promise<AnnotationRow | undefined> {
      const [row] = await drizzle.select(columns).from(annotations).where(ofProject(projectId, id));
      return row;
    },

    async add(projectId: string, row: AnnotationRow): Promise<void> {
      await drizzle.insert(annotations).values({ projectId, ...row });
    },

    async change(
      projectId: string,
      id: string,
      change: AnnotationChange,
    ): Promise<AnnotationRow | undefined> {
      const [row] = await drizzle
        .update(annotations)
        .set(change)
        .where(ofProject(projectId, id))
        .returning(columns);
      return row;
    },

    async remove(projectId: string, id: string): Promise<void> {
      await drizzle.delete(annotations).where(ofProject(projectId, id));
    },
  };
}
