import type { Database } from '@switchboard/database';
import type { Logger } from '@switchboard/runtime';
import type { PublishedList } from './published-list.ts';
import { LISTS_CHANNEL } from './store.ts';

/** Milliseconds between reloads of the lists. Covers lost notifications. */
const RELOAD_MS = 10_000;
const RETRY_MS = 250;

interface RefreshOptions {
  database: Database;
  lists: readonly Pick<PublishedList<never>, 'reload'>[];
  logger: Logger;
}

export interface ListRefresh {
  stop(): Promise<void>;
}

/** Keeps this instance's public lists up to date until stopped. Throws when the first read fails. */
export async function startListRefresh({ database, lists, logger }: RefreshOptions): Promise<ListRefresh> {
  let isFailing = false;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function refresh() {
    clearTimeout(timer);
    try {
      await Promise.all(lists.map((list) => list.reload()));
      isFailing = false;
    } catch (error) {
      logger.failed('reload public lists', error);
      isFailing = true;
    }
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(refresh, isFailing ? RETRY_MS : RELOAD_MS);
  }

  const listening = await database.listen(LISTS_CHANNEL, refresh, refresh);
  await Promise.all(lists.map((list) => list.reload()));
  timer = setTimeout(refresh, RELOAD_MS);
  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await listening.stop();
    },
  };
}
