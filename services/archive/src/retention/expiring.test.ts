import { ARCHIVE_FILES_TOPIC } from '@switchboard/contracts';
import { type Database, type ExpiringData, openDatabase } from '@switchboard/database';
import { UnknownTopic } from '@switchboard/event-log';
import type { ObjectStore } from '@switchboard/object-store';
import { createLogger, createMetrics, createRetention } from '@switchboard/runtime';
import { eventually, startS3 } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVENTS_GROUP } from '../events/consumer.ts';
import { work } from '../files/compaction.ts';
import { createDueMerges } from '../files/due-merges.ts';
import { createFilesPublisher } from '../files/publisher.ts';
import { createFilesStore } from '../files/store.ts';
import { createErasure } from '../replays/erasure.ts';
import { createReplaysStore } from '../replays/store.ts';
import { ANY_PROJECT } from '../rows/contents.ts';
import { archivedEvent } from '../testing/archived-event.ts';
import { type EventsHarness, onPostgresAndFolder } from '../testing/events-harness.ts';
import { rowsIn, storeFile } from '../testing/files.ts';
import { recordsOn } from '../testing/log.ts';
import { chunkOf } from '../testing/recording.ts';
import { type ArchiveHarness, startArchive } from '../testing/service.ts';
import { expiringEvents, expiringRecordings } from './expiring.ts';

const DAY_MS = 86_400_000;
const logger = createLogger({ service: 'archive', level: 'silent' });
const run = (database: Database, data: readonly ExpiringData[], now: () => Date) =>
  createRetention({ database, data, clock: { now }, logger, metrics: createMetrics('test') }).run();

describe('archived events', () => {
  let harness: EventsHarness;
  beforeAll(async () => {
    harness = await onPostgresAndFolder();
  });
  afterAll(() => harness.stop());

  it('removes archived events from the topic a day at a time, and keeps their objects for readers in progress', async () => {
    const { database, objects, log, threads } = harness;
    const store = createFilesStore(database.drizzle);
    const days = ['2026-03-01', '2026-03-02', '2026-03-03'];
    for (const [line, day] of days.entries())
      for (const name of ['a', 'b']) {
        const event = archivedEvent(line * 2 + (name === 'a' ? 0 : 1));
        const coverage = { ...ANY_PROJECT, ...(name === 'b' ? { projectId: 'large' } : {}) };
        await storeFile({
          database,
          objects,
          key: `events/${day}/${name}.parquet`,
          day,
          events: [event],
          coverage,
        });
      }
    const publisher = createFilesPublisher({
      db: database.drizzle,
      log,
      region: 'eu',
      group: EVENTS_GROUP,
      replication: 1,
      logger,
    });
    publisher.start();
    /** Returns the files that readers of the topic know. */
    const known = async () => {
      const files = new Map<string, boolean>();
      for (const { key, value } of await recordsOn(log, ARCHIVE_FILES_TOPIC, [0n]))
        files.set(key ?? '', value !== null);
      return [...files].flatMap(([key, isThere]) => (isThere ? [key] : [])).sort();
    };
    const all = days.flatMap((day) => [`events/${day}/a.parquet`, `events/${day}/b.parquet`]);
    await eventually(async () => expect(await known()).toEqual(all));
    // Nothing would write to it.
    await expect(log.endOffsets(`${ARCHIVE_FILES_TOPIC}.dead-letter`)).rejects.toThrow(UnknownTopic);

    // A second before, and exactly when, the end of the first day is 30 days old.
    const expireAt = (time: string) => run(database, expiringEvents(store, 30), () => new Date(time));
    await expireAt('2026-03-31T23:59:59Z');
    expect(await store.oldestDay()).toBe('2026-03-01');
    await expireAt('2026-04-01T00:00:00Z');
    await eventually(async () => expect(await known()).toEqual(all.slice(2)));
    expect(await rowsIn(harness)).toHaveLength(4);
    const stored = async () => {
      const keys: string[] = [];
      for await (const { key } of objects.list('events/')) keys.push(key);
      return keys.sort();
    };
    expect(await stored()).toEqual(all);

    const compact = (replacedSeconds: number) =>
      work({
        group: EVENTS_GROUP,
        store,
        objects,
        threads,
        log: { lag: async () => [] },
        logger,
        clock: { now: () => new Date('2026-03-03T12:00:00Z') },
        retentionHours: 168,
        replacedSeconds,
        signal: new AbortController().signal,
        merges: createDueMerges({ store }),
        onMerged: () => undefined,
      });
    await compact(3600);
    expect(await stored()).toEqual(all);
    await compact(0);
    expect(await stored()).toEqual(all.slice(2));
    const deleted = (await store.find(all)).filter(({ isDeleted }) => isDeleted).map(({ key }) => key);
    expect(deleted.sort()).toEqual(all.slice(0, 2));
    await publisher.stop();
  });
});

describe('recordings', () => {
  let s3: Awaited<ReturnType<typeof startS3>>;
  let archive: ArchiveHarness;
  let database: Database;
  let objects: ObjectStore;
  beforeAll(async () => {
    s3 = await startS3();
    archive = await startArchive(s3 === undefined ? {} : { s3 });
    database = openDatabase({ url: archive.databaseUrl, applicationName: 'test' });
    objects = archive.objects;
  });
  afterAll(async () => {
    await database?.close();
    await archive?.stop();
    await s3?.stop();
  });

  const runIn = (days: number) => {
    const clock = { now: () => new Date(Date.now() + days * DAY_MS) };
    const store = createReplaysStore(database.drizzle);
    const erasure = createErasure({ store, objects, clock, logger });
    return run(database, expiringRecordings({ store, erasure, days: 30 }), clock.now);
  };
  const send = (session: string, seq: number) =>
    archive.send(chunkOf(session, seq, [{ type: 3, timestamp: Date.now() + seq }]));
  const keys = async () => {
    const found: string[] = [];
    for await (const { key } of objects.list('replays/')) found.push(key);
    return found;
  };

  it('removes expired recordings with their objects, rejects late chunks, and forgets the recordings later', async () => {
    await send('one', 0);
    await send('one', 1);
    await send('two', 0);
    await archive.until('one', { chunks: 2 });
    await archive.until('two', { chunks: 1 });
    await database.sql`update replays set received_at = received_at + interval '10 days' where session_id = 'two'`;
    await runIn(29);
    expect(await keys()).toHaveLength(3);
    await runIn(31);
    expect(await keys()).toHaveLength(1);
    expect((await archive.manage('GET', archive.path('one'))).status).toBe(404);
    expect((await archive.manage('GET', archive.path('two'))).status).toBe(200);

    await send('one', 2);
    await send('two', 1);
    await archive.until('two', { chunks: 2 });
    expect((await archive.manage('GET', archive.path('one'))).status).toBe(404);
    const tombstones = async () =>
      (await database.sql`select session_id from replays where deleted_at is not null`).map(
        (row) => row['session_id'],
      );
    await runIn(39);
    expect(await tombstones()).toEqual(['one']);
    await runIn(500);
    expect(await tombstones()).toEqual(['two']);
  });
});
