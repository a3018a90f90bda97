import type { Tx } from './database.ts';

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
