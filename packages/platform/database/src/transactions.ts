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

/** A statement of Drizzle's `prepare`. */
interface Statement {
  execute(values?: Record<string, unknown>): Promise<unknown>;
}

/**
 * Returns a prepared statement that runs in a transaction. Drizzle ties a statement to the pool or transaction that
 * built it, and building one takes more CPU than sending it.
 */
export function inTransaction<S extends Statement>(tx: Tx, statement: S): S {
  const { session } = tx._;
  if (!('client' in session) || !('client' in statement)) throw new Error('not a statement of Postgres.js');
  return Object.create(statement, { client: { value: session.client } });
}
