import type { Database } from '@switchboard/database';

export type Db = Database['drizzle'];
export type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];
