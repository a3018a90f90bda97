import type { Database, Listening } from '@switchboard/database';
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
  /** Reads the lists and keeps them up to date. Throws if the first read fails. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Creates what keeps this instance's public lists up to date. */
export function createListRefresh({ database, lists, logger }: RefreshOptions): ListRefresh {
  let listening: Listening | undefined;
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

  return {
    async start() {
      listening ??= await database.listen(LISTS_CHANNEL, refresh, refresh);
      await Promise.all(lists.map((list) => list.reload()));
      clearTimeout(timer);
      timer = setTimeout(refresh, RELOAD_MS);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await listening?.stop();
    },
  };
}
