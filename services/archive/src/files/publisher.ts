import { ARCHIVE_FILES_TOPIC, type ArchiveFileRecord } from '@switchboard/contracts';
import type { Database, Tx } from '@switchboard/database';
import { type EventLog, type OutgoingRecord, publishInOrder, type TopicSpec } from '@switchboard/event-log';
import { backoffDelay, pause } from '@switchboard/resilience';
import type { Logger } from '@switchboard/service-kit';
import { createPublishedFilesStore, type UnpublishedFile } from './store.ts';

interface PublisherOptions {
  database: Database;
  log: Pick<EventLog, 'createTopics' | 'endOffsets' | 'publish' | 'bytesInFlight'>;
  region: string;
  /** Replicas of the topic. */
  replication: number;
  logger: Logger;
}

export interface Publisher {
  /** Returns at once. */
  start(): void;
  /** Lets records that are being published finish. */
  stop(): Promise<void>;
}

const BATCH_SIZE = 200;
const IDLE_MS = 500;
/** A reader that was away for longer reads the topic from its start. */
const TOMBSTONE_RETENTION_MS = 30 * 24 * 60 * 60 * 1000;

/**
 * Publishes each change of the table of files to the topic `archive-files`, in order, at least once. One process at a
 * time does so, under a lock. A topic that is new, or ends before what was published to it, gets every file again.
 */
export function createPublisher({ database, log, region, replication, logger }: PublisherOptions): Publisher {
  const topic: TopicSpec = {
    name: ARCHIVE_FILES_TOPIC,
    partitions: 1,
    replication,
    cleanup: 'compact',
    tombstoneRetentionMs: TOMBSTONE_RETENTION_MS,
    deadLetter: false,
  };
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let isTopicChecked = false;

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        if (!isTopicChecked) await log.createTopics([topic]);
        const mayBeMore = await database.drizzle.transaction(publishNext);
        failures = 0;
        if (!mayBeMore) await pause(IDLE_MS, stopping.signal);
      } catch (error) {
        isTopicChecked = false;
        if (!stopping.signal.aborted) logger.failed('publish files', error);
        await pause(backoffDelay(failures++), stopping.signal);
      }
    }
  }

  /** False when nothing is left to publish, or another process publishes. */
  async function publishNext(tx: Tx): Promise<boolean> {
    const store = createPublishedFilesStore(tx);
    if (!(await store.lock())) return false;
    const files = await store.oldest(BATCH_SIZE);
    if (files.length === 0 && isTopicChecked) return false;
    const next = await store.nextOffset();
    const [end = 0n] = await log.endOffsets(topic.name);
    isTopicChecked = true;
    if (next === undefined || end < next) {
      const count = await store.publishAgain();
      if (count > 0) logger.warn({ topic: topic.name, files: count }, 'publishing every file to a new topic');
      return true;
    }
    if (files.length === 0) return false;
    const records = files.map((file) => recordOf(file, region));
    const published = await publishInOrder(log, topic.name, records, stopping.signal);
    await store.markPublished(files, published.offsetOf(records.length - 1) + 1n);
    return true;
  }

  return {
    start() {
      running ??= run();
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function recordOf(file: UnpublishedFile, region: string): OutgoingRecord {
  const at = (ms: number) => new Date(ms).toISOString();
  const record: ArchiveFileRecord = {
    key: file.key,
    region,
    project: file.projectId,
    bucket: file.bucket,
    buckets: file.buckets,
    day: file.day,
    rows: file.rows,
    bytes: file.bytes,
    firstOccurredAt: at(file.firstOccurredAt),
    lastOccurredAt: at(file.lastOccurredAt),
    eventNames: file.eventNames,
    replaces: file.replaces,
    createdAt: at(file.createdAt),
  };
  const value = file.isGone ? null : Buffer.from(JSON.stringify(record));
  return { partition: 0, key: file.key, value, headers: {} };
}
