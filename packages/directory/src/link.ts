import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Consumption, type EventLog, type RecordBatch, UnknownTopic } from '@switchboard/event-log';
import { DirectoryUnavailable } from './errors.ts';
import type { DirectoryLogger } from './following.ts';
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
}

/** Copies the directory from one event log to the log of another region. */
export interface DirectoryLink {
  /**
   * Resolves when the region's topic holds what the home topic held at the call, and keeps copying until stopped. Throws
   * DirectoryUnavailable or the error of a log while one of them is unavailable; it can be called again.
   */
  start(): Promise<void>;
  isComplete(): boolean;
  /** Records of the home topic that are not copied yet. */
  behind(): Promise<bigint>;
  stop(): Promise<void>;
}

const POLL_MS = 50;
const MAX_FAILURES = 20;

/**
 * Every start compares both topics completely, so it does not matter how long the link was down. Newer records are
 * copied to the same partition; entries that no longer exist at home, not even as tombstones, are removed. Duplicate and
 * reordered copies have no effect, because replicas compare revisions.
 */
export function createDirectoryLink(options: DirectoryLinkOptions): DirectoryLink {
  const { home, region, replication, logger, topic = DIRECTORY_TOPIC } = options;
  let consumption: Consumption | undefined;
  let complete = false;

  async function start(): Promise<void> {
    if (consumption !== undefined) return;
    const ends = await endsOf(home);
    const partitions = ends.length;
    const tombstoneRetentionMs = DIRECTORY_TOMBSTONE_RETENTION_MS;
    const minInSyncReplicas = replication >= 3 ? 2 : 1;
    const spec = { name: topic, partitions, replication, tombstoneRetentionMs, minInSyncReplicas };
    await region.createTopics([{ ...spec, cleanup: 'compact' }]);
    const known = await newestOf(region);
    const seen = new Set<string>();

    const group = newGroup();
    consumption = await home.consume({ group, topics: [topic], handle: copy });
    try {
      await reached(home, group, ends);
      const gone = [...known.values()].filter((entry) => entry.value !== null && !seen.has(keyOf(entry)));
      // Lower than the revision of the removal, which was a later change at home.
      const tombstones = gone.map((entry) =>
        outgoingRecord({ key: keyOf(entry), value: null }, entry.revision + 1n, partitions),
      );
      if (tombstones.length > 0) await region.publish(topic, tombstones);
      logger?.info({ known: known.size, removed: gone.length }, 'directory copied to the region');
    } catch (error) {
      await stop();
      throw error;
    }
    complete = true;
    known.clear();
    seen.clear();

    async function copy({ partition, records }: RecordBatch): Promise<void> {
      const changes = new Map<string, Change>();
      const newer = records.filter((record) => {
        const change = read(record);
        if (change === undefined || complete) return change !== undefined;
        const key = keyOf(change);
        seen.add(key);
        const before = changes.get(key) ?? known.get(key);
        if (before !== undefined && change.revision <= before.revision) return false;
        changes.set(key, change);
        return true;
      });
      if (newer.length === 0) return;
      await region.publish(
        topic,
        newer.map(({ key, value, headers }) => ({ partition, key, value, headers })),
      );
      // After the publish: if it fails, the same records are delivered again.
      if (!complete) for (const [key, change] of changes) known.set(key, change);
    }
  }

  /** The newest entry of each key that a log holds. */
  async function newestOf(log: EventLog): Promise<Map<string, Change>> {
    const newest = new Map<string, Change>();
    const group = newGroup();
    const reading = await log.consume({
      group,
      topics: [topic],
      async handle({ records }) {
        for (const record of records) {
          const change = read(record);
          if (change === undefined) continue;
          const key = keyOf(change);
          if (change.revision > (newest.get(key)?.revision ?? -1n)) newest.set(key, change);
        }
      },
    });
    try {
      await reached(log, group, await endsOf(log));
      return newest;
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

  async function endsOf(log: EventLog): Promise<bigint[]> {
    try {
      return await log.endOffsets(topic);
    } catch (error) {
      if (!(error instanceof UnknownTopic)) throw error;
      throw new DirectoryUnavailable(
        `the topic ${topic} does not exist yet; the catalogue service creates it`,
      );
    }
  }

  async function reached(log: EventLog, group: string, ends: bigint[]): Promise<void> {
    for (let failures = 0; ; ) {
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
    const running = consumption;
    consumption = undefined;
    complete = false;
    await running?.stop();
  }

  return {
    start,
    isComplete: () => complete,
    async behind() {
      const lag = (await consumption?.lag()) ?? [];
      return lag.reduce((sum, partition) => sum + partition.behind, 0n);
    },
    stop,
  };
}

/** Never reused, because the topic is read from the start each time. */
const newGroup = () => `directory.link.${randomUUID()}`;

const keyOf = ({ kind, id }: Pick<Change, 'kind' | 'id'>) => `${kind}:${id}`;
