import {
  ARCHIVE_FILES_TOPIC,
  type ArchiveFileRecord,
  archivedOffsetsKey,
  archiveFileRecord,
} from '@switchboard/contracts';
import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { expect } from 'vitest';
import { EVENTS_GROUP } from '../events/consumer.ts';
import { createFilesPublisher } from '../files/publisher.ts';
import type { EventsHarness } from './events-harness.ts';
import { recordsOn } from './log.ts';

/** For tests: the topic of files. */

export interface PublishedFile {
  key: string;
  /** Null if the file is gone. */
  file: ArchiveFileRecord | null;
}

type Backings = Pick<EventsHarness, 'database' | 'log'>;

/** Publishes every change of the table of files, and returns all records of files on the topic. */
export async function publishFiles({ database, log }: Backings): Promise<PublishedFile[]> {
  const logger = createLogger({ service: 'archive', level: 'silent' });
  const publisher = createFilesPublisher({
    db: database.drizzle,
    log,
    region: 'eu',
    group: EVENTS_GROUP,
    replication: 1,
    logger,
  });
  publisher.start();
  await eventually(async () => {
    const rows = await database.drizzle.execute(sql`select 1 from event_files where published_at is null`);
    expect(rows).toHaveLength(0);
  });
  await publisher.stop();
  const records = await recordsOn(log, ARCHIVE_FILES_TOPIC, [0n]);
  return records
    .filter(({ key }) => key !== archivedOffsetsKey('eu'))
    .map(({ key, value }) => ({
      key: key ?? '',
      file: value === null ? null : archiveFileRecord.parse(JSON.parse(String(value))),
    }));
}
