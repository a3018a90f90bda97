import type { Database } from '@switchboard/database';
import type { Tx } from '../db.ts';
import { lockRuleset, markChanged } from './store.ts';

export interface Editing {
  database: Database;
  /** Called when a change of the project's ruleset is stored. */
  onChanged(projectId: string): void;
}

/** What an edit answers, and whether it changed anything. */
interface Edited<T> {
  answer: T;
  hasChanged: boolean;
}

/**
 * Runs an edit of a project's ruleset. Edits of one project take turns, so each judges the ruleset that the one
 * before it left. A change is dated and announced; an edit that changes nothing is neither.
 */
export async function edit<T>(
  { database, onChanged }: Editing,
  projectId: string,
  work: (tx: Tx) => Promise<Edited<T>>,
): Promise<T> {
  const { answer, hasChanged } = await database.drizzle.transaction(async (tx) => {
    await lockRuleset(tx, projectId);
    const edited = await work(tx);
    if (edited.hasChanged) await markChanged(tx, projectId);
    return edited;
  });
  if (hasChanged) onChanged(projectId);
  return answer;
}
