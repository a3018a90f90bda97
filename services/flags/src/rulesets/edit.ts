import type { Database, Transactor, Tx } from '@switchboard/database';
import { createRulesetsStore } from './store.ts';

export interface EditOptions {
  database: Pick<Database, 'drizzle'>;
  /** Called after a change of the project's ruleset is committed. */
  onChanged(projectId: string): void;
}

interface EditResult<T> {
  result: T;
  hasChanged: boolean;
}

/**
 * Runs an edit of a project's ruleset in a transaction of `within`. Edits of one project run one after another, so each
 * edit is validated against the result of the previous one. Only an edit that changes something is dated and
 * announced.
 */
export async function editRuleset<T>(
  within: Transactor,
  { onChanged }: Pick<EditOptions, 'onChanged'>,
  projectId: string,
  edit: (tx: Tx) => Promise<EditResult<T>>,
): Promise<T> {
  const { result, hasChanged } = await within.transaction(async (tx) => {
    const store = createRulesetsStore(tx);
    await store.lock(projectId);
    const edited = await edit(tx);
    if (edited.hasChanged) await store.markChanged(projectId);
    return edited;
  });
  if (hasChanged) onChanged(projectId);
  return result;
}
