import { ARCHIVE_FILES_TOPIC, archivedOffsetsKey, readArchivedOffsets } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { afterEach, expect, it } from 'vitest';
import { EVENTS_GROUP } from '../events/consumer.ts';
import { ANY_PROJECT } from '../rows/contents.ts';
import { archivedEvent } from '../testing/archived-event.ts';
import { newProject, onEachBacking, sent } from '../testing/events-harness.ts';
import { storeFile } from '../testing/files.ts';
import { recordsOn } from '../testing/log.ts';
import { createFilesPublisher } from './publisher.ts';

onEachBacking('the publisher of files', ({ harness, run }) => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

  function start(log: EventLog = harness.log) {
    const logger = createLogger({ service: 'archive', level: 'silent' });
    const publisher = createFilesPublisher({
      db: harness.database.drizzle,
      log,
      region: 'eu',
      group: EVENTS_GROUP,
      replication: 1,
      logger,
    });
    publisher.start();
    stops.push(publisher.stop);
    return publisher;
  }

  /** Returns the published keys of files and end offsets, in the order of the topic. */
  async function published(): Promise<(string | bigint[] | undefined)[]> {
    const records = await recordsOn(harness.log, ARCHIVE_FILES_TOPIC, [0n]);
    return records.map(({ key, headers }) =>
      key === archivedOffsetsKey('eu') ? readArchivedOffsets(headers) : (key ?? ''),
    );
  }

  const clear = () => harness.database.drizzle.execute(sql`truncate adoptions, event_files, published_files`);
  const committed = () => harness.log.committedOffsets(EVENTS_GROUP, 'events');

  it('publishes how far events are in files after the files are on the topic, and advances for duplicates', async () => {
    await clear();
    const publisher = start();
    await eventually(async () => expect(await published()).toEqual([[0n, 0n, 0n]]));
    await publisher.stop();

    run();
    const events = [sent({ distinct_id: 'a' }), sent({ distinct_id: 'b' }), sent({ distinct_id: 'c' })];
    const project = newProject();
    await harness.publish(project, events);
    await harness.allCommitted();
    expect(await published()).toHaveLength(1);

    start();
    const files = await harness.database.drizzle.execute<{ key: string }>(sql`select key from event_files`);
    const archived = await committed();
    await eventually(async () => expect((await published()).slice(1).at(-1)).toEqual(archived));
    const keys = (await published()).slice(1, -1);
    expect(keys.sort()).toEqual(files.map(({ key }) => key).sort());

    await harness.publish(project, events);
    await harness.allCommitted();
    const again = await committed();
    expect(again).not.toEqual(archived);
    await eventually(async () => expect((await published()).at(-1)).toEqual(again));
  });

  it('publishes files that are stored during a progress check before the progress', async () => {
    await clear();
    const key = 'events/2026-03-01/late.parquet';
    let asked = 0;
    start({
      ...harness.log,
      async committedOffsets() {
        const file = { key, day: '2026-03-01', events: [archivedEvent(0)], coverage: ANY_PROJECT };
        if (asked++ === 0) await storeFile({ ...harness, ...file });
        return [100n];
      },
    });
    await eventually(async () => expect((await published()).slice(-2)).toEqual([key, [100n]]));
  });

  it('publishes no progress while files are to be found in the object store', async () => {
    await clear();
    const before = (await published()).length;
    await harness.database.drizzle.execute(sql`insert into adoptions default values`);
    const file = { day: '2026-03-01', events: [archivedEvent(0)], coverage: ANY_PROJECT };
    await storeFile({ ...harness, ...file, key: 'events/2026-03-01/first.parquet' });
    start();
    const first = ['events/2026-03-01/first.parquet'];
    await eventually(async () => expect((await published()).slice(before)).toEqual(first));
    await harness.database.drizzle.execute(sql`truncate adoptions`);
    await eventually(async () => expect((await published()).at(-1)).toEqual(await committed()));
  });
});
