export { type Database, type DatabaseOptions, type Db, openDatabase, type Tx } from './database.ts';
export type { Listening } from './listen.ts';
export { type Migrations, migrate } from './migrate.ts';
export { newId } from './new-id.ts';
export { isTooSlow, isUnavailable } from './unavailable.ts';
