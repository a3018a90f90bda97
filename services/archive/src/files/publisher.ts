import { isDeepStrictEqual } from 'node:util';
import {
  ARCHIVE_FILES_TOPIC,
  type ArchiveFileRecord,
  archivedOffsetsRecord,
  ingestionTopics,
} from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { type EventLog, type OutgoingRecord, UnknownTopic } from '@switchboard/event-log';
import {
  compactedTopic,
  createRelay,
  type Relay,
  type RelayLogger,
  toPartitionZero,
} from '@switchboard/outbox';
import {
  createFilesStore,
  createPublishedFilesStore,
  filesRepublication,
  type UnpublishedFile,
} from './store.ts';

interface PublisherOptions {
  db: Db;
  log: EventLog;
  region: string;
  /** The consumer group that writes events to files. */
  group: string;
  /** The replication factor of the topic. */
  replication: number;
  logger: RelayLogger;
}

type Change = { file: UnpublishedFile } | { archived: OutgoingRecord };

const BATCH_SIZE = 200;

/**
 * Publishes each change of the table of files to the topic `archive-files`, and the end offsets of the events in
 * these files.
 */
export function createFilesPublisher({ region, group, replication, ...options }: PublisherOptions): Relay {
  let published: OutgoingRecord | undefined;
  return createRelay<Change>({
    ...options,
    topic: compactedTopic(ARCHIVE_FILES_TOPIC, replication),
    source(tx) {
      const files = createPublishedFilesStore(tx);
      return {
        async oldest(limit) {
          // Read before the files, and published after them.
          const archived = await archivedOffsets(tx, { log: options.log, group, region });
          const changes: Change[] = (await files.oldest(limit)).map((file) => ({ file }));
          const isNew = archived !== undefined && !isDeepStrictEqual(archived, published);
          return isNew && changes.length < limit ? [...changes, { archived }] : changes;
        },
        async markPublished(changes) {
          await files.markPublished(changes.flatMap((change) => ('file' in change ? [change.file] : [])));
          for (const change of changes) if ('archived' in change) published = change.archived;
        },
      };
    },
    republication: {
      ...filesRepublication,
      publishAll(tx) {
        published = undefined;
        return filesRepublication.publishAll(tx);
      },
    },
    recordOf: (change) => ('file' in change ? recordOf(change.file, region) : change.archived),
    batchSize: BATCH_SIZE,
  });
}

/**
 * Returns the committed offsets: events before them are in files of the table, unless the table was restored and
 * must be rebuilt first.
 */
async function archivedOffsets(
  tx: Db | Tx,
  { log, group, region }: Pick<PublisherOptions, 'log' | 'group' | 'region'>,
): Promise<OutgoingRecord | undefined> {
  if (await createFilesStore(tx).isRebuildWanted()) return undefined;
  try {
    const record = archivedOffsetsRecord(region, await log.committedOffsets(group, ingestionTopics.events));
    return { ...record, partition: 0 };
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
  return toPartitionZero(file.key, value);
}
