import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq } from 'drizzle-orm';
import { projectKeys } from '../schema/index.ts';

export interface ProjectKeysStore {
  /** Returns the keys of a project, oldest first. */
  list(projectId: string): Promise<string[]>;
  count(projectId: string): Promise<number>;
  insert(row: { key: string; projectId: string }): Promise<void>;
  /** Returns false if the project had no such key. */
  remove(projectId: string, key: string): Promise<boolean>;
}

export function createProjectKeysStore(db: Db | Tx): ProjectKeysStore {
  return {
    async list(projectId) {
      const rows = await db
        .select({ key: projectKeys.key })
        .from(projectKeys)
        .where(eq(projectKeys.projectId, projectId))
        .orderBy(asc(projectKeys.createdAt), asc(projectKeys.key));
      return rows.map(({ key }) => key);
    },

    count: (projectId) => db.$count(projectKeys, eq(projectKeys.projectId, projectId)),

    async insert(row) {
      await db.insert(projectKeys).values(row);
    },

    async remove(projectId, key) {
      const removed = await db
        .delete(projectKeys)
        .where(and(eq(projectKeys.key, key), eq(projectKeys.projectId, projectId)))
        .returning({ key: projectKeys.key });
      return removed.length > 0;
    },
  };
}
