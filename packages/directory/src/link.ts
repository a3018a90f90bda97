import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Consumption, type EventLog, partitionFor, type RecordBatch } from '@switchboard/event-log';
import { DirectoryUnavailable } from './errors.ts';
import { type DirectoryLogger, readEnds } from './following.ts';
import {
  type Change,
  DIRECTORY_TOMBSTONE_RETENTION_MS,
  DIRECTORY_TOPIC,
  outgoingRecord,
  parseRecord,
  UnreadableRecord,
} from './record.ts';

export interface DirectoryLinkOptions {
  /** The log to which the catalogue service publishes. */
  home: EventLog;
  /** The log that the region's services read. */
  region: EventLog;
  /** Replicas of each partition, if the link creates the region's topic. */
  replication: number;
  logger?: DirectoryLogger;
  /** Default `directory`. */
  topic?: string;
  /** Entries of the region that are held in memory at a time, without their values. Default 250,000, about 50 MB. */
  entriesAtOnce?: number;
}

/** Copies the directory from one event log to the log of another region. */
export interface DirectoryLink {
  /**
   * Resolves when the region's topic holds what the home topic held at the call, and keeps copying until stopped. Throws
   * DirectoryUnavailable or the error of a log while one of them is unavailable; it can be called again.
   */
  start(): Promise<void>;
  isComplete(): boolean;
  /** Records of the home topic that are not copied yet. Throws while the link has not started, or home is unavailable. */
  behind(): Promise<bigint>;
  stop(): Promise<void>;
}

const POLL_MS = 50;
const MAX_FAILURES = 20;
const ENTRIES_AT_ONCE = 250_000;
const TOMBSTONES_AT_ONCE = 1_000;

/** What the region has of an entry. */
interface Held {
  revision: bigint;
  /** Whether it has a value. */
  isThere: boolean;
  isAtHome: boolean;
}

/** The entries that one reading of both topics compares. */
interface Slice {
  holds(key: string): boolean;
  /** The reading of the last slice goes on, with new records of all. */
  isLast: boolean;
}

/**
 * Every start compares both topics completely, so it does not matter how long the link was down. Newer records are
 * copied to the same partition; entries that no longer exist at home, not even as tombstones, are removed. Duplicate and
 * reordered copies have no effect, because replicas compare revisions. A large directory is compared in slices, each
 * with a reading of both topics, so that memory does not grow with it.
 */
export function createDirectoryLink(options: DirectoryLinkOptions): DirectoryLink {
  const { home, region, replication, logger, topic = DIRECTORY_TOPIC } = options;
  const { entriesAtOnce = ENTRIES_AT_ONCE } = options;
  let consumption: Consumption | undefined;
  let complete = false;
  let running = new AbortController();

  async function start(): Promise<void> {
    if (consumption !== undefined) return;
    running = new AbortController();
    const ends = await readEnds(home, topic);
    const partitions = ends.length;
    const tombstoneRetentionMs = DIRECTORY_TOMBSTONE_RETENTION_MS;
    const spec = { name: topic, partitions, replication, tombstoneRetentionMs };
    await region.createTopics([{ ...spec, cleanup: 'compact' }]);
    try {
      await copyAll(ends);
    } catch (error) {
      await stop();
      throw error;
    }
    complete = true;
  }

  async function copyAll(ends: bigint[]): Promise<void> {
    const slices = await countSlices();
    let removed = 0;
    for (let number = 0; number < slices; number++) {
      await consumption?.stop();
      const holds = (key: string) => partitionFor(key, slices) === number;
      removed += await copySlice({ holds, isLast: number === slices - 1 }, ends);
    }
    logger?.info({ slices, removed }, 'directory copied to the region');
  }

  /** As many as keep each below what is held at once. */
  async function countSlices(): Promise<number> {
    const written = (await readEnds(region, topic)).reduce((sum, end) => sum + end, 0n);
    if (written <= entriesAtOnce) return 1;
    // Compaction leaves gaps: what there is has to be counted.
    let records = 0;
    await readAll(region, () => {
      records += 1;
    });
    return Math.max(1, Math.ceil(records / entriesAtOnce));
  }

  /** Begins to copy from the home topic. Resolves with the number of removed entries when the slice is compared. */
  async function copySlice({ holds, isLast }: Slice, ends: bigint[]): Promise<number> {
    const held = new Map<string, Held>();
    await readAll(region, ({ kind, id, value, revision }) => {
      const key = keyOf({ kind, id });
      if (!holds(key) || revision <= (held.get(key)?.revision ?? -1n)) return;
      held.set(key, { revision, isThere: value !== null, isAtHome: false });
    });
    let isCompared = false;

    async function copy({ partition, records }: RecordBatch): Promise<void> {
      const newest = new Map<string, bigint>();
      const newer = records.filter((record) => {
        const change = read(record);
        if (change === undefined || isCompared) return change !== undefined;
        const key = keyOf(change);
        if (!holds(key)) return isLast && record.offset >= (ends[partition] ?? 0n);
        const known = held.get(key);
        if (known !== undefined) known.isAtHome = true;
        if (change.revision <= (newest.get(key) ?? known?.revision ?? -1n)) return false;
        newest.set(key, change.revision);
        return true;
      });
      if (newer.length === 0) return;
      await region.publish(
        topic,
        newer.map(({ key, value, headers }) => ({ partition, key, value, headers })),
      );
      // After the publish: if it fails, the same records are delivered again.
      for (const [key, revision] of newest) {
        const known = held.get(key);
        if (known !== undefined) known.revision = revision;
      }
    }

    const group = newGroup();
    consumption = await home.consume({ group, topics: [topic], handle: copy });
    await reached(home, group, ends);
    // Compaction may have removed a record before it was read, because there is a newer one after those ends.
    await reached(home, group, await readEnds(home, topic));
    const gone = [...held].filter(([, { isThere, isAtHome }]) => isThere && !isAtHome);
    for (let at = 0; at < gone.length; at += TOMBSTONES_AT_ONCE) {
      // Lower than the revision of the removal, which was a later change at home.
      const tombstones = gone
        .slice(at, at + TOMBSTONES_AT_ONCE)
        .map(([key, { revision }]) => outgoingRecord({ key, value: null }, revision + 1n, ends.length));
      await region.publish(topic, tombstones);
    }
    isCompared = isLast;
    held.clear();
    return gone.length;
  }

  /** Each readable record that a log holds now. */
  async function readAll(log: EventLog, onChange: (change: Change) => void): Promise<void> {
    const group = newGroup();
    const reading = await log.consume({
      group,
      topics: [topic],
      async handle({ records }) {
        for (const record of records) {
          const change = read(record);
          if (change !== undefined) onChange(change);
        }
      },
    });
    try {
      await reached(log, group, await readEnds(log, topic));
    } finally {
      await reading.stop();
    }
  }

  function read(record: RecordBatch['records'][number]): Change | undefined {
    try {
      return parseRecord(record);
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      const { partition, offset } = record;
      logger?.warn({ partition, offset: String(offset), reason: error.message }, 'skipped unreadable record');
      return undefined;
    }
  }

  async function reached(log: EventLog, group: string, ends: bigint[]): Promise<void> {
    for (let failures = 0; ; ) {
      // What was not read yet must not be taken for gone.
      if (running.signal.aborted) throw new DirectoryUnavailable('the link was stopped');
      try {
        const lag = await log.lag(group, [topic]);
        if (lag.every(({ partition, committed }) => committed >= (ends[partition] ?? 0n))) return;
      } catch (error) {
        // Kafka fails at times while it assigns a coordinator to a new group.
        if (++failures === MAX_FAILURES) throw error;
      }
      await sleep(POLL_MS);
    }
  }

  async function stop(): Promise<void> {
    running.abort();
    const copying = consumption;
    consumption = undefined;
    complete = false;
    await copying?.stop();
  }

  return {
    start,
    isComplete: () => complete,
    async behind() {
      if (consumption === undefined) throw new DirectoryUnavailable('the link has not started');
      const lag = await consumption.lag();
      return lag.reduce((sum, partition) => sum + partition.behind, 0n);
    },
    stop,
  };
}

/** Never reused, because the topic is read from the start each time. */
const newGroup = () => `directory.link.${randomUUID()}`;

const keyOf = ({ kind, id }: Pick<Change, 'kind' | 'id'>) => `${kind}:${id}`;
