import { fileURLToPath } from 'node:url';
import {
  type Database,
  isUnavailable,
  keepsSessions,
  migrate,
  openDatabase,
  UnsuitableDatabase,
} from '@switchboard/database';
import { EventLogUnavailable, messageOf } from '../errors.ts';
import { within } from '../timing.ts';

const migrations = {
  folder: fileURLToPath(new URL('../../migrations', import.meta.url)),
  table: 'event_log',
};

export interface Connections {
  /** Resolves when the tables exist. Call it again to retry after a failure. */
  ready(): Promise<void>;
  /** Runs a query within the time-out. If the pool hangs, a new one replaces it. */
  use<T>(what: string, work: (database: Database) => Promise<T>, timeoutMs?: number): Promise<T>;
  /** Returns the database for background work, with queries without a time-out. */
  background(): Database;
  close(): Promise<void>;
}

export function createConnections(url: string, timeoutMs: number): Connections {
  let migrating: Promise<void> | undefined;
  let pool: Database | undefined;
  let background: Database | undefined;

  async function ready(): Promise<void> {
    migrating ??= prepare().catch((error) => {
      migrating = undefined;
      throw error;
    });
    return migrating;
  }

  async function prepare(): Promise<void> {
    if (!(await keepsSessions(url)))
      throw new UnsuitableDatabase(
        'EVENT_LOG_DATABASE_URL must be the address of PostgreSQL itself: readers of the log LISTEN, which does not work through a pooler without sessions.',
      );
    await migrate(url, migrations);
  }

  return {
    ready,
    async use(what, work, queryTimeoutMs = timeoutMs) {
      pool ??= openDatabase({
        url,
        applicationName: 'event-log',
        poolSize: 2,
        statementTimeoutMs: queryTimeoutMs,
      });
      const used = pool;
      const deadline = performance.now() + queryTimeoutMs;
      try {
        return await within(
          deadline,
          what,
          ready().then(() => work(used)),
        );
      } catch (error) {
        if (!(error instanceof EventLogUnavailable || isUnavailable(error))) throw error;
        if (pool === used) pool = undefined;
        used.close().catch(() => {});
        throw new EventLogUnavailable(`${what}: ${messageOf(error)}`, { cause: error });
      }
    },
    background: () =>
      (background ??= openDatabase({
        url,
        applicationName: 'event-log consumer',
        poolSize: 3,
        statementTimeoutMs: 30_000,
      })),
    async close() {
      await Promise.all([pool?.close(), background?.close()]);
    },
  };
}
