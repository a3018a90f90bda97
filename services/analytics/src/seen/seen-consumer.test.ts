import { ingestionTopics } from '@switchboard/contracts';
import { openPostgresLog } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useDatabase } from '../testing/database.ts';
import { createSeenConsumer, SEEN_GROUP, SEEN_TOPICS } from './seen-consumer.ts';
import { createSeenStore, type Seen } from './store.ts';

const { database, url } = await useDatabase();
const log = openPostgresLog({ url });
const stored: Seen[] = [];
const store = createSeenStore(database.drizzle);
const consumer = createSeenConsumer({
  log,
  logger: { failed: () => undefined } as never,
  store: {
    ...store,
    async add(seen) {
      await store.add(seen);
      stored.push(...seen);
    },
  },
});
beforeAll(async () => {
  const topic = { partitions: 1, replication: 1, cleanup: 'delete', retentionMs: 3_600_000 } as const;
  await log.createTopics(SEEN_TOPICS.map((name) => ({ ...topic, name })));
  consumer.start();
});
afterAll(async () => {
  await consumer.stop();
  await log.close();
});

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 12, minute, 30)).toISOString();

/** Publishes lines as one record, and returns the ids and minutes that were stored for it. */
async function send(...lines: string[]): Promise<string[]> {
  const headers = { project: 'shop', received_at: at(59) };
  const value = Buffer.from(lines.join('\n'));
  await log.publish(ingestionTopics.events, [{ partition: 0, key: 'shop', value, headers }]);
  await eventually(async () => {
    const lags = await log.lag(SEEN_GROUP, [ingestionTopics.events]);
    expect(lags.map(({ behind }) => behind)).toEqual([0n]);
  });
  return stored
    .splice(0)
    .map(
      ({ distinctId, firstAt, lastAt }) =>
        `${distinctId} ${[firstAt, lastAt].map((time) => new Date(time).getUTCMinutes()).join('-')}`,
    );
}

const line = (distinctId: string, minute: number, more: object = {}) =>
  JSON.stringify({
    event_id: 'e',
    ...more,
    distinct_id: distinctId,
    schema_version: 1,
    timestamp: at(minute),
    occurred_at: at(minute),
  });

it('reads the id of the event, whatever its properties and its text look like', async () => {
  const properties = { distinct_id: 'other', text: '"distinct_id":"text"', occurred_at: at(1) };
  expect(
    await send(
      line('plain', 5),
      line('with properties', 6, { properties }),
      line('a "quoted" id\\', 7),
      line('päivi 🎿', 8),
      line('spaced', 9).replace('"distinct_id":', '"distinct_id" : '),
      `{"occurred_at":"${at(10)}","distinct_id":"last"}`,
      `{"properties":{"x":"distinct_id"},"distinct_id":"named","occurred_at":"${at(11)}"}`,
      'no JSON',
      line('', 12),
      line('no time', 13).replace(`"occurred_at":"${at(13)}"`, '"occurred_at":"yesterday at half past 9."'),
    ),
  ).toEqual([
    'plain 5-5',
    'with properties 6-6',
    'a "quoted" id\\ 7-7',
    'päivi 🎿 8-8',
    'spaced 9-9',
    'last 10-10',
    'named 11-11',
  ]);
});

it('stores nothing for an id that was seen before and after the event', async () => {
  expect(await send(line('ada', 20), line('ada', 25))).toEqual(['ada 20-25']);
  expect(await send(line('ada', 20), line('ada', 22), line('bob', 22))).toEqual(['bob 22-22']);
  expect(await send(line('ada', 26))).toEqual(['ada 26-26']);
  expect(await send(line('ada', 24), line('ada', 26))).toEqual([]);
  expect(await send(line('ada', 19))).toEqual(['ada 19-19']);
  const rows = await database.sql`
    select extract(minute from first_seen_at)::int as first, extract(minute from last_seen_at)::int as last
    from seen_people where distinct_id = 'ada'`;
  expect([...rows]).toEqual([{ first: 19, last: 26 }]);
});
