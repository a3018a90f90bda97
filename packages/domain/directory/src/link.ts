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
  /** The replication factor of the region's topic, if the link creates it. */
  replication: number;
  logger?: DirectoryLogger;
  /** The topic to copy. Default: `directory`. */
  topic?: string;
  /** The number of region entries held in memory at a time, without values. Default: 250,000, about 50 MB. */
  entriesAtOnce?: number;
}

/** Copies the directory from one event log to the log of another region. */
export interface DirectoryLink {
  /**
   * Resolves when the region's topic holds everything that the home topic held at the call, and keeps copying until
   * stopped. Throws DirectoryUnavailable or a log's error while a log is unavailable, and can be called again.
   */
  start(): Promise<void>;
  isComplete(): boolean;
  /**
   * Returns the number of home records that are not copied yet. Throws if the link has not started or the home log is
   * unavailable.
   */
  behind(): Promise<bigint>;
  stop(): Promise<void>;
}

const POLL_MS = 50;
const MAX_FAILURES = 20;
const ENTRIES_AT_ONCE = 250_000;
const TOMBSTONES_AT_ONCE = 1_000;

/** The state of an entry in the region. */
interface Held {
  revision: bigint;
  /** Whether the entry has a value. */
  isThere: boolean;
  isAtHome: boolean;
}

/** The entries that one pass over both topics compares. */
interface Slice {
  holds(key: string): boolean;
  /** Whether this is the last slice. Its consumer keeps running and copies new records of all entries. */
  isLast: boolean;
}

/**
 * Creates a link between two logs. Every start compares both topics completely, so downtime of any length is safe.
 * Newer records are copied to the same partition. Entries that no longer exist at home, not even as tombstones, are
 * removed. Duplicate and reordered copies have no effect, because replicas compare revisions. A large directory is
 * compared in slices, with one pass over both topics each, so that memory does not grow with it.
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
    logger?.info({ slices, removed }, 'copied the directory to the region');
  }

  /** Returns the number of slices that keeps each slice within `entriesAtOnce`. */
  async function countSlices(): Promise<number> {
    const written = (await readEnds(region, topic)).reduce((sum, end) => sum + end, 0n);
    if (written <= entriesAtOnce) return 1;
    // Offsets overstate the number of records, because compaction leaves gaps.
    let records = 0;
    await readAll(region, () => {
      records += 1;
    });
    return Math.max(1, Math.ceil(records / entriesAtOnce));
  }

  /** Starts copying from the home topic. Resolves with the number of removed entries once the slice is compared. */
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
      // Runs after the publish, because a failed publish delivers the same records again.
      for (const [key, revision] of newest) {
        const known = held.get(key);
        if (known !== undefined) known.revision = revision;
      }
    }

    const group = newGroup();
    consumption = await home.consume({ group, topics: [topic], handle: copy });
    await reached(home, group, ends);
    // Compaction may have removed a record before it was read if a newer one follows after `ends`.
    await reached(home, group, await readEnds(home, topic));
    const gone = [...held].filter(([, { isThere, isAtHome }]) => isThere && !isAtHome);
    for (let at = 0; at < gone.length; at += TOMBSTONES_AT_ONCE) {
      // Lower than the revision of the removal at home, which was a later change.
      const tombstones = gone
        .slice(at, at + TOMBSTONES_AT_ONCE)
        .map(([key, { revision }]) => outgoingRecord({ key, value: null }, revision + 1n, ends.length));
      await region.publish(topic, tombstones);
    }
    isCompared = isLast;
    held.clear();
    return gone.length;
  }

  /** Reads each readable record that a log holds now. */
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
      // Entries that were not read yet must not count as removed.
      if (running.signal.aborted) throw new DirectoryUnavailable('the link was stopped');
      try {
        const lag = await log.lag(group, [topic]);
        if (lag.every(({ partition, committed }) => committed >= (ends[partition] ?? 0n))) return;
      } catch (error) {
        // Kafka sometimes fails while it assigns a coordinator to a new group.
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

/** Returns a unique group name, because each pass reads the topic from the start. */
const newGroup = () => `directory.link.${randomUUID()}`;

const keyOf = ({ kind, id }: Pick<Change, 'kind' | 'id'>) => `${kind}:${id}`;
