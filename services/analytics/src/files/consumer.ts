import {
  ARCHIVE_FILES_TOPIC,
  type ArchiveFileRecord,
  archivedOffsetsKey,
  archiveFileRecord,
  readArchivedOffsets,
} from '@switchboard/contracts';
import {
  type BackgroundConsumer,
  createConsumer,
  type EventLog,
  type RecordBatch,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { FilesStore } from './store.ts';

const FILES_GROUP = 'analytics.archive-files';

interface ConsumerOptions {
  store: Pick<FilesStore, 'apply'>;
  log: EventLog;
  logger: Logger;
  region: string;
}

/** Keeps the replica of the archive's list of files up to date. The archive creates the topic. */
export function createFilesConsumer({ store, log, logger, region }: ConsumerOptions): BackgroundConsumer {
  const topics = [ARCHIVE_FILES_TOPIC];

  async function handle(batch: RecordBatch): Promise<void> {
    const latest = new Map<string, ArchiveFileRecord | null>();
    let offsets: bigint[] | undefined;
    for (const { key, value, headers } of batch.records) {
      if (key === archivedOffsetsKey(region)) {
        offsets = readArchivedOffsets(headers) ?? offsets;
        continue;
      }
      const parsed = value === null ? null : parse(value);
      if (parsed === undefined) logger.error({ key }, 'skipped unreadable record of archive-files');
      else if (key !== null && (parsed === null || parsed.region === region)) latest.set(key, parsed);
    }
    const files = [...latest.values()].filter((file) => file !== null);
    const gone = [...latest].filter(([, file]) => file === null).map(([key]) => key);
    await store.apply(region, { files, gone, offsets });
  }

  async function consume() {
    await log.endOffsets(ARCHIVE_FILES_TOPIC);
    return log.consume({ group: FILES_GROUP, topics, handle });
  }

  return createConsumer({ consume, topics, logger });
}

function parse(value: Buffer): ArchiveFileRecord | undefined {
  try {
    return archiveFileRecord.safeParse(JSON.parse(String(value))).data;
  } catch {
    return undefined;
  }
}
