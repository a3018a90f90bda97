import type { Database } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import { pause } from '@switchboard/resilience';
import { listenForChanges } from './announcements.ts';
import { DirectoryUnavailable } from './errors.ts';
import { type DirectoryLogger, type Following, followTopic } from './following.ts';
import { createFreshness } from './freshness.ts';
import { createLookUps, type LookUps } from './lookups.ts';
import { DIRECTORY_TOPIC } from './record.ts';
import type { OnRemoved } from './removals/removals.ts';
import { openReplica, replicaReset } from './store.ts';
import { createUseReporter } from './tokens/use-reporter.ts';
import { TOKEN_USES_TOPIC, tokenUseRecord } from './tokens/uses.ts';

export interface DirectoryOptions {
  /** The service's database, migrated with `directoryMigrations`. */
  database: Database;
  log: EventLog;
  /** The name of the service that owns the replica. */
  service: string;
  logger?: DirectoryLogger;
  /** The topic to follow. Default: `directory`. */
  topic?: string;
  /** How long a look-up of a missing entry waits for the replica to catch up. Default: 2 s. */
  maxWaitMs?: number;
  onRemoved?: OnRemoved | undefined;
}

export interface Directory extends LookUps {
  /** Reports the use of a personal access token or service token to catalogue within a minute. */
  tokenUsed(tokenId: string): void;
  /**
   * Follows the topic `directory`. Resolves when the replica holds everything published before the call. If the
   * replica was complete before, resolves immediately and catches up in the background. Throws DirectoryUnavailable
   * or the database error while the log or the database is unavailable, and can be called again.
   */
  start(): Promise<void>;
  /** Stops following. Does not close the database or the log. */
  stop(): Promise<void>;
  /** Returns whether the replica is complete and look-ups work. */
  isReady(): boolean;
}

const RETRY_MS = 1_000;

/** Opens the replica of the directory in a service's own database, with cached look-ups. */
export function openDirectory(options: DirectoryOptions): Directory {
  const { database, log, service, logger, topic = DIRECTORY_TOPIC, maxWaitMs = 2_000 } = options;
  const { lookUps, drop, invalidateAll, invalidateMissing } = createLookUps({
    database,
    assertReadable,
    caughtUp: async () => (following === undefined ? undefined : freshness.caughtUp()),
  });
  const freshness = createFreshness({
    endOffsets: () => log.endOffsets(topic),
    hasReached: async (ends) => following === undefined || following.hasReached(ends),
    onAdvanced: invalidateMissing,
    maxWaitMs,
  });
  const uses = createUseReporter({
    report: async (made) => void (await log.publish(TOKEN_USES_TOPIC, made.map(tokenUseRecord))),
    onError: (error) => logger?.failed('report uses of tokens', error),
  });
  const stopping = new AbortController();
  let listening: Awaited<ReturnType<typeof listenForChanges>> | undefined;
  let following: Following | undefined;
  let background: Promise<void> | undefined;
  let ready = false;

  function assertReadable() {
    if (!ready) throw new DirectoryUnavailable('the directory is still loading');
  }

  async function start() {
    uses.start();
    listening ??= await listenForChanges({ database, logger, onChanged, onDoubt: invalidateAll });
    const replica = await openReplica(database.drizzle);
    if (!replica.isBootstrapped) return follow();
    ready = true;
    background ??= followWithRetries();
  }

  async function follow() {
    following ??= await followTopic({
      database,
      log,
      topic,
      service,
      logger,
      onReset: () => setReady(false),
      onRemoved: options.onRemoved,
    });
    await following.caughtUp(stopping.signal);
    if (!stopping.signal.aborted) setReady(true);
  }

  /** Keeps using a replica that was complete once while the log is unavailable. */
  async function followWithRetries() {
    while (!stopping.signal.aborted) {
      try {
        return await follow();
      } catch (error) {
        logger?.warn({ error }, 'following the directory failed, retrying');
        await pause(RETRY_MS, stopping.signal);
      }
    }
  }

  function onChanged(key: string) {
    if (!key.startsWith('*')) return drop(key);
    invalidateAll();
    if (following === undefined || key !== replicaReset(following.replicaId)) return;
    // Another instance reset the replica.
    const before = Promise.all([background, following.stop()]);
    following = undefined;
    setReady(false);
    background = before.then(followWithRetries);
  }

  function setReady(value: boolean) {
    if (value && !ready) logger?.info({}, 'directory complete');
    ready = value;
  }

  return {
    ...lookUps,
    tokenUsed: uses.used,
    start,
    async stop() {
      stopping.abort();
      await background;
      await Promise.all([uses.stop(), following?.stop(), listening?.stop()]);
    },
    isReady: () => ready,
  };
}
