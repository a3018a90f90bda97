import { type Db, removeAll } from '@switchboard/database';
import { eq } from 'drizzle-orm';
import { groups, people } from './schema.ts';

/** Removes the people and groups of a project. */
export async function removeProjectState(db: Db, projectId: string, signal: AbortSignal): Promise<void> {
  for (const table of [people, groups]) await removeAll(db, table, eq(table.projectId, projectId), signal);
}
