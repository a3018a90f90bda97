import type { Database } from '@switchboard/database';

export type Db = Database['drizzle'];
