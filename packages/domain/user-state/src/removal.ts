import type { Db } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { groups, people } from './schema.ts';

const ROWS_AT_ONCE = 10_000;

/** Removes the people and groups of a project. */
export async function removeProjectState(db: Db, projectId: string, signal: AbortSignal): Promise<void> {
  for (const table of [people, groups]) {
    let removed = 0;
    do {
      signal.throwIfAborted();
      const { count } = await db.execute(sql`
        delete from ${table} where ctid = any(array(
          select ctid from ${table} where project_id = ${projectId} limit ${ROWS_AT_ONCE}))`);
      removed = count;
    } while (removed > 0);
  }
}
