import { ingestionTopics } from '@switchboard/contracts';
import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrateClickHouse } from '../clickhouse/migrations.ts';
import { type SinkHarness, startSinkHarness } from '../testing/clickhouse-sink.ts';
import { createWatermark } from '../watermark/watermark.ts';
import { CLICKHOUSE_GROUP } from './consumer.ts';

let started: SinkHarness | undefined;
let sink: SinkHarness;
beforeAll(async () => {
  started = await startSinkHarness();
});
beforeEach((test) => {
  if (started === undefined) return test.skip();
  sink = started;
});
afterEach(() => started?.reset());
afterAll(() => started?.stop());

const idsOf = (count: number, name = 'e') =>
  Array.from({ length: count }, (_, index) => `${name}-${String(index).padStart(3, '0')}`);

/** Returns a promise with a function that settles it. */
function signalled() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, resolve };
}

it('creates the tables once, also when several processes start at the same time', async () => {
  const { client } = sink;
  await client.command({ query: 'drop table events' });
  await client.command({ query: 'truncate table schema_migrations' });
  await Promise.all([migrateClickHouse(client), migrateClickHouse(client), migrateClickHouse(client)]);
  await sink.publish(['one']);
  sink.start();
  await sink.settled();
  await migrateClickHouse(client);
  expect(await sink.ids()).toEqual(['one']);
  const applied = await sink.rows('select distinct id from schema_migrations order by id');
  expect(applied).toEqual([1, 2, 3, 4, 5, 6, 7].map((id) => ({ id })));
});

it('stores every column of an archived event', async () => {
  const event = {
    session_id: 's1',
    occurred_at: '1969-12-31T23:59:59.999Z',
    timestamp: '1970-01-01T00:59:59.999+01:00',
    properties: { price: 1.5, name: 'Zoë "quoted" \\ \u0000', nested: { a: [1, null] } },
    context: { page: { path: '/' } },
  };
  const project = `${sink.project} ünï 'quoted'`;
  await sink.publish(['one'], { event, project });
  await sink.publish(['two'], { partition: 1, project });
  sink.start();
  await sink.settled();
  const times = ['occurred_at', 'received_at', 'sent_at'].map(
    (name) => `toUnixTimestamp64Milli(${name}) as ${name}`,
  );
  const [one, two] = await sink.rows(`select * replace (${times.join(', ')}) from events
     where project_id = '${project.replaceAll("'", "''")}' order by event_id`);
  expect(one).toEqual({
    project_id: project,
    event_id: 'one',
    event_name: 'seen',
    distinct_id: 'ada',
    session_id: 's1',
    schema_version: 1,
    occurred_at: -1,
    received_at: Date.parse('2026-03-01T10:00:01Z'),
    sent_at: null,
    timestamp: event.timestamp,
    properties: JSON.stringify(event.properties),
    context: JSON.stringify(event.context),
    bot: false,
    log_partition: 0,
    log_offset: expect.any(Number),
    log_line: 0,
  });
  expect(two).toMatchObject({ session_id: null, properties: null, context: null, log_partition: 1 });
});

it('stores half a surrogate pair as U+FFFD, so that the other properties can be read', async () => {
  await sink.publish(['half'], {
    event: { properties: { text: 'Pay \ud83d', plan: 'pro' }, context: { os: '\udc00' } },
  });
  sink.start();
  await sink.settled();
  const [row] = await sink.rows(
    `select properties, context, JSONExtractString(properties, 'plan') as plan from events where project_id = '${sink.project}'`,
  );
  expect(row).toEqual({
    properties: '{"text":"Pay \ufffd","plan":"pro"}',
    context: '{"os":"\ufffd"}',
    plan: 'pro',
  });
});

it('stores instants beyond the calendar of ClickHouse', async () => {
  await sink.publish(['early'], { event: { occurred_at: '0000-01-01T00:00:00.000Z' } });
  await sink.publish(['late'], { event: { occurred_at: '9999-12-31T23:59:59.999Z' } });
  sink.start();
  await sink.settled();
  const found = await sink.rows(
    `select toUnixTimestamp64Milli(occurred_at) as t from events where project_id = '${sink.project}' order by t`,
  );
  expect(found.map(({ t }) => t)).toEqual([
    Date.parse('0000-01-01T00:00:00.000Z'),
    Date.parse('9999-12-31T23:59:59.999Z'),
  ]);
});

describe('events that are inserted once', () => {
  it('inserts an event that is sent again once, and counts the first copy', async () => {
    sink.start();
    await sink.publish(['one', 'two', 'one'], { event: { event_name: 'first' } });
    await sink.settled();
    await sink.publish(['two', 'three'], {
      event: { event_name: 'second', distinct_id: 'grace' },
      partition: 1,
    });
    // An event of another project.
    await sink.publish(['one'], { event: { event_name: 'third' }, project: `other ${sink.project}` });
    await sink.settled();
    const found = await sink.rows(
      `select event_id, event_name from events where endsWith(project_id, '${sink.project}') order by 1, 2`,
    );
    expect(found).toEqual([
      { event_id: 'one', event_name: 'first' },
      { event_id: 'one', event_name: 'third' },
      { event_id: 'three', event_name: 'second' },
      { event_id: 'two', event_name: 'first' },
    ]);
  });

  it.each(['insertKeys', 'commit'] as const)(
    'inserts each event once after a crash before %s, with other batches',
    async (step) => {
      const died = signalled();
      const die = async () => {
        died.resolve();
        throw new Error('killed');
      };
      for (const id of idsOf(6)) await sink.publish([id, `${id} again`]);
      const first = sink.start(step === 'commit' ? { commit: die } : { store: { insertKeys: die } });
      await died.promise;
      await first.stop();
      expect(await sink.ids()).toHaveLength(12);
      for (const id of idsOf(6, 'later')) await sink.publish([id]);
      sink.start({ settings: { blockBytes: 300 } });
      await sink.settled();
      expect(await sink.ids()).toEqual([
        ...idsOf(6).flatMap((id) => [id, `${id} again`]),
        ...idsOf(6, 'later'),
      ]);
    },
  );

  it('inserts each event once when an insert arrives after another process has taken over', async () => {
    const [waiting, release, arrived] = [signalled(), signalled(), signalled()];
    await sink.publish(idsOf(3));
    const late = sink.start({
      store: {
        async insertEvents(token, rows) {
          waiting.resolve();
          await release.promise;
          await sink.store.insertEvents(token, rows, AbortSignal.timeout(10_000));
          arrived.resolve();
        },
      },
    });
    await waiting.promise;
    const stopped = late.stop();
    await sink.publish(idsOf(3, 'later'));
    sink.start({ settings: { blockAgeMs: 0 } });
    await eventually(async () => expect(await sink.ids()).toHaveLength(6));
    release.resolve();
    await arrived.promise;
    await stopped;
    await sink.settled();
    expect(await sink.ids()).toEqual([...idsOf(3), ...idsOf(3, 'later')]);
  });
});

it('reports the time until which all accepted events are in ClickHouse', async () => {
  let now = 1000;
  const watermark = createWatermark({
    log: sink.log,
    clock: { now: () => new Date(now) },
    logger: createLogger({ service: 'analytics', level: 'fatal' }),
    stored: () => sink.log.committedOffsets(CLICKHOUSE_GROUP, ingestionTopics.events),
  });
  watermark.start();
  await eventually(() => expect(watermark.asOf()).toBe(1000));
  await sink.publish(['one']);
  now = 2000;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(watermark.asOf()).toBe(1000);
  sink.start();
  await eventually(() => expect(watermark.asOf()).toBe(2000));
  await watermark.stop();
});

it('inserts blocks of a bounded size, and the rest after a while', async () => {
  const sizes: number[] = [];
  for (const id of idsOf(10)) await sink.publish([id]);
  sink.start({
    settings: { blockBytes: 400, blockAgeMs: 200 },
    store: {
      async insertEvents(token, rows, signal) {
        sizes.push(rows.length);
        await sink.store.insertEvents(token, rows, signal);
      },
    },
  });
  await sink.settled();
  expect(Math.max(...sizes)).toBeLessThan(10);
  expect(await sink.ids()).toEqual(idsOf(10));
});

it('sets aside records that ClickHouse rejects, and leaves out records that are not events', async () => {
  await sink.client.command({
    query: `alter table events add constraint poison check event_name != 'poison'`,
  });
  await sink.publish(idsOf(3));
  await sink.publish(['bad'], { event: { event_name: 'poison' } });
  await sink.publish([], { lines: ['no event', '{"event_id":1}', '\u{fffd}'] });
  await sink.publish(idsOf(3, 'later'));
  sink.start();
  await sink.settled();
  expect(await sink.ids()).toEqual([...idsOf(3), ...idsOf(3, 'later')]);
  const [end] = await sink.log.endOffsets(`${ingestionTopics.events}.dead-letter`);
  expect(end).toBe(1n);
});

it('waits while ClickHouse rejects everything, and loses nothing', async () => {
  const refused = signalled();
  await sink.client.command({ query: 'rename table events to elsewhere' });
  await sink.publish(idsOf(3));
  sink.start({
    store: {
      async insertEvents(token, rows, signal) {
        try {
          await sink.store.insertEvents(token, rows, signal);
        } catch (error) {
          refused.resolve();
          throw error;
        }
      },
    },
  });
  await refused.promise;
  await sink.publish(idsOf(3, 'later'));
  await sink.client.command({ query: 'rename table elsewhere to events' });
  await sink.settled();
  expect(await sink.ids()).toEqual([...idsOf(3), ...idsOf(3, 'later')]);
});

it('erases people, also from disk, and no other person', async () => {
  const people = Array.from({ length: 25 }, (_, index) => `person ' ${index}`);
  for (const distinct_id of people) await sink.publish([distinct_id], { event: { distinct_id } });
  await sink.publish(['other']);
  await sink.publish(['elsewhere'], { event: { distinct_id: people[0] }, project: `other ${sink.project}` });
  sink.start();
  await sink.settled();
  const { signal } = new AbortController();
  const versions = () =>
    sink.rows(`select toString(sum(inserted)) as version from project_versions
      where endsWith(project_id, '${sink.project}') group by project_id order by startsWith(project_id, 'other')`);
  const [before, others] = await versions();
  await sink.store.erase(sink.project, people, signal);
  await sink.store.erase(sink.project, people, signal);
  // Earlier results are no longer the newest.
  const [after, same] = await versions();
  expect([after?.['version'] === before?.['version'], same]).toEqual([false, others]);
  const left = await sink.rows(
    `select event_id from events where endsWith(project_id, '${sink.project}') order by event_id`,
  );
  expect(left).toEqual([{ event_id: 'elsewhere' }, { event_id: 'other' }]);
  const parts = await sink.rows(
    `select sum(has_lightweight_delete) as hidden from system.parts
     where active and database = currentDatabase() and table = 'events'`,
  );
  expect(parts).toEqual([{ hidden: 0 }]);
});
