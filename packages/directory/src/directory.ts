import type { Database } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import { pause } from '@switchboard/resilience';
import { hearChanges } from './announcements.ts';
import { DirectoryUnavailable } from './errors.ts';
import { type DirectoryLogger, type Following, followTopic } from './following.ts';
import { createLookUps, type LookUps } from './lookups.ts';
import { directoryTopic } from './record.ts';
import { givenUp, openReplica } from './store.ts';

export interface DirectoryOptions {
  /** Migrated with `directoryMigrations`. */
  database: Database;
  log: EventLog;
  /** Name of the service the replica belongs to. */
  service: string;
  logger?: DirectoryLogger;
  /** Default `directory`. */
  topic?: string;
}

export interface Directory extends LookUps {
  /**
   * Follows the topic `directory`. Resolves when the replica holds all that was published before the call; at
   * once when it was complete before, and it then catches up while it answers. Throws DirectoryUnavailable or
   * the database's error while one of them is away, and may be called again.
   */
  start(): Promise<void>;
  /** Stops following. The database and the log stay open. */
  stop(): Promise<void>;
  /** Whether look-ups are answered: the replica is complete. */
  isReady(): boolean;
}

const RETRY_MS = 1_000;

/** The replica of the directory in a service's own database, with its look-ups in memory. */
export function openDirectory(options: DirectoryOptions): Directory {
  const { database, log, service, logger, topic = directoryTopic } = options;
  const { lookUps, drop, invalidateAll } = createLookUps({ database, assertReadable });
  const stopping = new AbortController();
  let hearing: Awaited<ReturnType<typeof hearChanges>> | undefined;
  let following: Following | undefined;
  let background: Promise<void> | undefined;
  let ready = false;

  function assertReadable() {
    if (!ready) throw new DirectoryUnavailable('the directory has not been loaded yet');
  }

  async function start() {
    hearing ??= await hearChanges({ database, onChanged, onDoubt: invalidateAll });
    const replica = await openReplica(database.drizzle);
    if (!replica.isBootstrapped) return follow();
    ready = true;
    background ??= followWhenThere();
  }

  async function follow() {
    following ??= await followTopic({
      database,
      log,
      topic,
      service,
      logger,
      onReset: () => setReady(false),
    });
    await following.caughtUp(stopping.signal);
    if (!stopping.signal.aborted) setReady(true);
  }

  /** The log may be away for long: a replica that was complete once goes on being answered. */
  async function followWhenThere() {
    while (!stopping.signal.aborted) {
      try {
        return await follow();
      } catch (error) {
        logger?.warn({ error }, 'the directory cannot be followed now; it is answered as last known');
        await pause(RETRY_MS, stopping.signal);
      }
    }
  }

  function onChanged(key: string) {
    if (!key.startsWith('*')) return drop(key);
    invalidateAll();
    if (following === undefined || key !== givenUp(following.replicaId)) return;
    // Another instance found that the replica must be read again.
    const before = Promise.all([background, following.stop()]);
    following = undefined;
    setReady(false);
    background = before.then(followWhenThere);
  }

  function setReady(value: boolean) {
    if (value && !ready) logger?.info({}, 'the directory is complete');
    ready = value;
  }

  return {
    ...lookUps,
    start,
    async stop() {
      stopping.abort();
      await background;
      await Promise.all([following?.stop(), hearing?.stop()]);
    },
    isReady: () => ready,
  };
}
