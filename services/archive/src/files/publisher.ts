import {
  ARCHIVE_FILES_TOPIC,
  type ArchiveFileRecord,
  archivedOffsetsRecord,
  ingestionTopics,
} from '@switchboard/contracts';
import type { Database, Tx } from '@switchboard/database';
import { type EventLog, UnknownTopic } from '@switchboard/event-log';
import { type BackgroundPublisher, createPublisher, type Logger } from '@switchboard/runtime';
import { createFilesStore, createPublishedFilesStore, type UnpublishedFile } from './store.ts';

interface PublisherOptions {
  database: Database;
  log: EventLog;
  region: string;
  /** The consumer group that writes events to files. */
  group: string;
  /** The replication factor of the topic. */
  replication: number;
  logger: Logger;
}

const BATCH_SIZE = 200;

/**
 * Publishes each change of the table of files to the topic `archive-files`, and the end offsets of the events in
 * these files.
 */
export function createFilesPublisher({ region, group, ...options }: PublisherOptions): BackgroundPublisher {
  return createPublisher({
    ...options,
    topic: ARCHIVE_FILES_TOPIC,
    unpublished: createPublishedFilesStore,
    recordOf: (file) => recordOf(file, region),
    batchSize: BATCH_SIZE,
    summary: (tx) => archivedOffsets(tx, { log: options.log, group, region }),
  });
}

/**
 * Returns the committed offsets: events before them are in files of the table, unless the table was restored and
 * must be rebuilt first.
 */
async function archivedOffsets(
  tx: Tx,
  { log, group, region }: Pick<PublisherOptions, 'log' | 'group' | 'region'>,
) {
  if (await createFilesStore(tx).isRebuildWanted()) return undefined;
  try {
    return archivedOffsetsRecord(region, await log.committedOffsets(group, ingestionTopics.events));
  } catch (error) {
    // Ingestion creates the topic.
    if (error instanceof UnknownTopic) return undefined;
    throw error;
  }
}

function recordOf(file: UnpublishedFile, region: string) {
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
  return { key: file.key, value };
}
