export { runAlone, tryLock } from './alone.ts';
export { type Backfill, type BackfillBatch, stepBackfill } from './backfill.ts';
export {
  type Database,
  type DatabaseOptions,
  type Db,
  openDatabase,
  ReadOnlyDatabase,
  type Transactor,
  type Tx,
} from './database.ts';
export type { Listening } from './listen.ts';
export { type Migrations, migrate } from './migrate.ts';
export { newId } from './new-id.ts';
export { checkPooling, keepsSessions, UnsuitableDatabase } from './pooling.ts';
export { type ExpiringData, type Removed, removeAll, removeSome } from './removal.ts';
export { inTransaction, tryTransaction } from './transactions.ts';
export { isTooSlow, isUnavailable } from './unavailable.ts';
