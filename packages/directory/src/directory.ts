import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@switchboard/database';
import { type Consumption, type EventLog, UnknownTopic } from '@switchboard/event-log';
import { hearChanges } from './announcements.ts';
import { applyBatch } from './apply.ts';
import { DirectoryUnavailable } from './errors.ts';
import { createLookUps, type LookUps } from './lookups.ts';
import { directoryTopic } from './record.ts';
import { markBootstrapped, openReplica, type Replica, readPositions, resetReplica } from './store.ts';

export interface DirectoryOptions {
  /** Migrated with `directoryMigrations`. */
  database: Database;
  log: EventLog;
  /** Name of the service the replica belongs to. */
  service: string;
  logger?: { info(message: string): void; warn(facts: object, message: string): void };
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
  /** Whether look-ups are answered: the replica has been complete once. */
  isReady(): boolean;
}

const pollMs = 50;
const retryMs = 1_000;

/** The replica of the directory in a service's own database, with its look-ups in memory. */
export function openDirectory({ database, log, service, logger }: DirectoryOptions): Directory {
  const { lookUps, drop, distrust } = createLookUps({ database, assertReadable });
  const stopping = new AbortController();
  let hearing: Awaited<ReturnType<typeof hearChanges>> | undefined;
  let consumption: Consumption | undefined;
  let following: Promise<void> | undefined;
  let ready = false;

  function assertReadable() {
    if (!ready) throw new DirectoryUnavailable('the directory has not been loaded yet');
  }

  async function start() {
    hearing ??= await hearChanges({ database, onChanged, onDoubt: distrust });
    const replica = await openReplica(database.drizzle);
    ready = replica.isBootstrapped;
    if (!ready) return follow(replica);
    following ??= followWhenThere(replica);
  }

  function onChanged(key: string) {
    if (key === '*') distrust();
    else drop(key);
  }

  /** The log may be away for long: what was complete once goes on being answered. */
  async function followWhenThere(replica: Replica) {
    while (!stopping.signal.aborted) {
      try {
        return await follow(replica);
      } catch (error) {
        logger?.warn({ error }, 'the directory cannot be followed now; it is answered as last known');
        await pause(retryMs);
      }
    }
  }

  async function follow(current: Replica) {
    const ends = await endOffsets();
    const replica = await renewed(current, ends);
    consumption ??= await log.consume({
      group: `directory.${service}.${replica.id}`,
      topics: [directoryTopic],
      handle: (batch) => applyBatch(database.drizzle, batch),
    });
    if (ready) return;
    while (!(await hasReached(replica, ends))) {
      if (stopping.signal.aborted) return;
      await pause(pollMs);
    }
    await markBootstrapped(database.drizzle);
    ready = true;
    logger?.info('the directory is complete');
  }

  async function endOffsets() {
    try {
      return await log.endOffsets(directoryTopic);
    } catch (error) {
      if (!(error instanceof UnknownTopic)) throw error;
      throw new DirectoryUnavailable('the topic directory is not there yet; the service catalogue makes it');
    }
  }

  /** A log that ends before what was applied of it is another log: the replica of the old one is given up. */
  async function renewed(replica: Replica, ends: bigint[]): Promise<Replica> {
    const positions = await readPositions(database.drizzle);
    const isAnother = [...positions].some(([partition, next]) => next > (ends[partition] ?? 0n));
    if (!isAnother) return replica;
    logger?.warn({ replica: replica.id }, 'the topic directory was made anew; the replica is read again');
    ready = false;
    await resetReplica(database.drizzle, replica.id);
    return openReplica(database.drizzle);
  }

  /** By what was applied, and by what the group has passed over: compaction leaves no record at some offsets. */
  async function hasReached(replica: Replica, ends: bigint[]): Promise<boolean> {
    const positions = await readPositions(database.drizzle);
    const behind = ends.some((end, partition) => (positions.get(partition) ?? 0n) < end);
    if (!behind) return true;
    const lag = await log.lag(`directory.${service}.${replica.id}`, [directoryTopic]);
    return lag.length > 0 && lag.every(({ partition, committed }) => committed >= (ends[partition] ?? 0n));
  }

  async function pause(milliseconds: number) {
    await sleep(milliseconds, undefined, { signal: stopping.signal }).catch(() => undefined);
  }

  return {
    ...lookUps,
    start,
    async stop() {
      stopping.abort();
      await following;
      await Promise.all([consumption?.stop(), hearing?.stop()]);
    },
    isReady: () => ready,
  };
}
