import type { Db } from '@switchboard/database';
import { sql } from 'drizzle-orm';

export interface ClientsStore {
  /** Sends a message to the processes that listen on a channel of the database. */
  notify(channel: string, message: object): Promise<void>;
}

export function createClientsStore(db: Db): ClientsStore {
  return {
    async notify(channel, message) {
      await db.execute(sql`select pg_notify(${channel}, ${JSON.stringify(message)})`);
    },
  };
}
