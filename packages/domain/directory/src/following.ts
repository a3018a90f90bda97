import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '@switchboard/database';
import { type EventLog, UnknownTopic } from '@switchboard/event-log';
import { applyBatch } from './apply.ts';
import { DirectoryUnavailable } from './errors.ts';
import type { OnRemoved } from './removals/removals.ts';
import { markCaughtUp, openReplica, type Replica, readPositions, resetReplica } from './store.ts';

export interface DirectoryLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  /** Called when background work failed and will be retried. */
  failed(task: string, error: unknown, fields?: object): void;
}

interface FollowOptions {
  database: Database;
  log: EventLog;
  topic: string;
  service: string;
  logger: DirectoryLogger | undefined;
  /** Called before the replica is emptied. */
  onReset(): void;
  onRemoved: OnRemoved | undefined;
}

export interface Following {
  replicaId: string;
  /** Returns whether the replica has applied everything before these offsets, one per partition. */
  hasReached(ends: readonly bigint[]): Promise<boolean>;
  /** Resolves when everything published before following began is applied, or when the signal aborts. */
  caughtUp(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

const POLL_MS = 50;
const MAX_FAILURES = 20;
const NOTE_INTERVAL_MS = 60_000;

/** Applies the topic to the replica from its position, or from the start if the replica cannot continue. */
export async function followTopic({
  database,
  log,
  topic,
  service,
  logger,
  onReset,
  onRemoved,
}: FollowOptions): Promise<Following> {
  const db = database.drizzle;
  const ends = await readEnds(log, topic);
  const replica = await usableReplica();
  const group = `directory.${service}.${replica.id}`;
  const consumption = await log.consume({
    group,
    topics: [topic],
    // Each instance has a separate group: in a shared one, a new instance would block the others during the
    // rebalance.
    from: () => readPositions(db),
    handle: (batch) => applyBatch(db, log, batch, onRemoved),
  });
  const noting = setInterval(() => void noteProgress(), NOTE_INTERVAL_MS);

  async function usableReplica(): Promise<Replica> {
    const current = await openReplica(db);
    const positions = await readPositions(db);
    // If the log ends before the replica's position, it is a different log.
    const isOfAnotherLog = [...positions].some(([partition, next]) => next > (ends[partition] ?? 0n));
    if (!current.isStale && !isOfAnotherLog) return current;
    const reason = isOfAnotherLog
      ? 'the topic was recreated or truncated'
      : 'the replica was behind for too long';
    logger?.warn({ replica: current.id, reason }, 'replica reset, reading the directory from the start');
    onReset();
    await resetReplica(db, current.id);
    return openReplica(db);
  }

  /**
   * Compares the replica's positions and, because compaction leaves gaps, the position of this consumer or its group.
   */
  async function hasReached(targets: readonly bigint[]): Promise<boolean> {
    const positions = await readPositions(db);
    if (targets.every((end, partition) => (positions.get(partition) ?? 0n) >= end)) return true;
    const lag = await consumption.lag();
    return lag.length > 0 && lag.every(({ partition, committed }) => committed >= (targets[partition] ?? 0n));
  }

  async function noteProgress(): Promise<void> {
    try {
      if (await hasReached(await log.endOffsets(topic))) await markCaughtUp(db, replica.id);
    } catch (error) {
      logger?.failed('store progress of the directory', error);
    }
  }

  return {
    replicaId: replica.id,
    hasReached,
    async caughtUp(signal) {
      for (let failures = 0; !signal.aborted; ) {
        try {
          if (await hasReached(ends)) break;
        } catch (error) {
          // Kafka sometimes fails while it assigns a coordinator to a new group.
          if (++failures === MAX_FAILURES) throw error;
        }
        await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
      }
      if (signal.aborted) return;
      await markCaughtUp(db, replica.id);
    },
    async stop() {
      clearInterval(noting);
      await consumption.stop();
    },
  };
}

/** Returns the end offset of each partition. Throws DirectoryUnavailable if the topic does not exist. */
export async function readEnds(log: EventLog, topic: string): Promise<bigint[]> {
  try {
    return await log.endOffsets(topic);
  } catch (error) {
    if (!(error instanceof UnknownTopic)) throw error;
    throw new DirectoryUnavailable(`the topic ${topic} does not exist yet; the catalogue service creates it`);
  }
}
