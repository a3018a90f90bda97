import type { Database } from '@switchboard/database';
import type { Logger } from '@switchboard/service-kit';
import { sql } from 'drizzle-orm';
import type { Tx } from './db.ts';
import type { PublishedList } from './published-list.ts';

const listsChannel = 'catalogue_lists';

/** Tells every instance, once the transaction commits, that a public list is to be read again. */
export async function announceLists(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_notify(${listsChannel}, '')`);
}

/** Also read again without an announcement this often, whatever may have gone wrong. */
const reloadMs = 10_000;
const retryMs = 250;

interface FollowOptions {
  database: Database;
  lists: readonly Pick<PublishedList<never>, 'reload'>[];
  logger: Logger;
}

/** Keeps the public lists of this instance current until stopped. Throws when they cannot be read at first. */
export async function followLists({ database, lists, logger }: FollowOptions) {
  let isFailing = false;
  let stopped = false;

  async function refresh() {
    clearTimeout(timer);
    try {
      await Promise.all(lists.map((list) => list.reload()));
      isFailing = false;
    } catch (error) {
      if (!isFailing) logger.warn({ error }, 'the public lists cannot be read; the last ones are served');
      isFailing = true;
    }
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(refresh, isFailing ? retryMs : reloadMs);
  }

  let timer: NodeJS.Timeout | undefined;
  const listening = await database.listen(listsChannel, refresh, refresh);
  await Promise.all(lists.map((list) => list.reload()));
  timer = setTimeout(refresh, reloadMs);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await listening.stop();
    },
  };
}
