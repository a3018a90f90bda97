import { ARCHIVE_FILES_TOPIC, type ArchiveFileRecord } from '@switchboard/contracts';
import type { Database } from '@switchboard/database';
import type { EventLog } from '@switchboard/event-log';
import { type BackgroundPublisher, createPublisher, type Logger } from '@switchboard/service-kit';
import { createPublishedFilesStore, type UnpublishedFile } from './store.ts';

interface PublisherOptions {
  database: Database;
  log: EventLog;
  region: string;
  /** Replicas of the topic. */
  replication: number;
  logger: Logger;
}

const BATCH_SIZE = 200;

/** Publishes each change of the table of files to the topic `archive-files`. */
export function createFilesPublisher({ region, ...options }: PublisherOptions): BackgroundPublisher {
  return createPublisher({
    ...options,
    topic: ARCHIVE_FILES_TOPIC,
    unpublished: createPublishedFilesStore,
    recordOf: (file) => recordOf(file, region),
    batchSize: BATCH_SIZE,
  });
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
