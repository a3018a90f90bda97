import type { Transactor, Tx } from './database.ts';

class Undone extends Error {}

/**
 * Runs `work` in a transaction. `undo` ends the work, rolls the transaction back and makes this call return `result`.
 * An audited change then has no audit entry, so call it for each result that rejects a request.
 */
export async function tryTransaction<T>(
  within: Transactor,
  work: (tx: Tx, undo: (result: T) => never) => Promise<T>,
): Promise<T> {
  const undone: { result: T }[] = [];
  const undo = (result: T): never => {
    undone.push({ result });
    throw new Undone();
  };
  try {
    return await within.transaction((tx) => work(tx, undo));
  } catch (error) {
    const [first] = undone;
    if (first === undefined) throw error;
    return first.result;
  }
}
