import { ingestionTopics } from '@switchboard/contracts';
import type { StoredRecord } from '@switchboard/event-log';
import { clickHouseDatabase } from '@switchboard/testkit';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { openClickHouse } from '../clickhouse/client.ts';
import { migrateClickHouse } from '../clickhouse/migrations.ts';
import { createClickhouseStore } from '../clickhouse/store.ts';
import { createClickHouseEngine } from '../engine/clickhouse.ts';
import { sql } from '../engine/sql.ts';
import { resultOf } from '../queries/result.ts';
import { casesOf, kindsOfCases } from '../testing/arbitraries.ts';
import { comparable, reference, type TestEvent } from '../testing/reference.ts';
import { insertBlock } from './insert.ts';

/**
 * Queries count rows, so each event must be exactly one row. Clients send events again, and processes that crash
 * insert blocks again: here with any content and order, and any division into blocks. The archive's files contain
 * each event once at any moment, also while some replace others, which its own tests verify.
 */

const CASES = 8;
const database = await clickHouseDatabase();

interface Delivery {
  project: string;
  event: TestEvent;
}

const lineOf = ({ id, name, person, session, t, properties, context }: TestEvent) =>
  JSON.stringify({
    event_id: id,
    event_name: name,
    distinct_id: person,
    session_id: session,
    schema_version: 1,
    timestamp: new Date(t).toISOString(),
    occurred_at: new Date(t).toISOString(),
    ...(properties === null ? {} : { properties }),
    ...(context === null ? {} : { context }),
  });

/** Packs consecutive events of one project as the lines of one record. */
function recordsOf(deliveries: readonly Delivery[]): StoredRecord[] {
  const records: { project: string; lines: string[] }[] = [];
  for (const { project, event } of deliveries) {
    const last = records.at(-1);
    if (last?.project === project) last.lines.push(lineOf(event));
    else records.push({ project, lines: [lineOf(event)] });
  }
  return records.map(({ project, lines }, index) => ({
    topic: ingestionTopics.events,
    partition: 0,
    offset: BigInt(index),
    timestamp: index,
    key: project,
    value: Buffer.from(lines.join('\n')),
    headers: { project, received_at: '2026-03-01T10:00:01.000Z' },
  }));
}

test.skipIf(database === undefined).each(kindsOfCases)(
  'counts each event once in %s when events are sent again',
  async (kind) => {
    const own = await clickHouseDatabase();
    if (own === undefined) throw new Error('There is no ClickHouse.');
    onTestFinished(() => own.drop());
    const client = openClickHouse(own.url);
    onTestFinished(() => client.close());
    await migrateClickHouse(client);
    const store = createClickhouseStore(client);

    const seed = Math.floor(Math.random() * 2 ** 31);
    // As ingestion accepts them: with an operating system by name. No traits are known here, and nothing is of a bot.
    const cases = fc.sample(casesOf(kind), { numRuns: CASES, seed }).map((one) => ({
      ...one,
      events: one.events.map(
        ({ who, isBot, context, ...event }): TestEvent => ({
          ...event,
          context: typeof context?.['os'] === 'string' ? context : null,
        }),
      ),
    }));
    const sent = cases.flatMap(({ events }, index) =>
      events.map((event): Delivery => ({ project: `p${index}`, event })),
    );
    const again = fc.sample(
      fc.record({
        of: fc.nat({ max: sent.length - 1 }),
        after: fc.nat({ max: sent.length }),
        changed: fc.constantFrom({}, { person: 'another person' }, { t: 0 }),
      }),
      { numRuns: sent.length, seed },
    );
    const deliveries = sent.flatMap((one, index) => [
      one,
      ...again
        .filter(({ of, after }) => Math.max(of, after) === index)
        .flatMap(({ of, changed }) =>
          sent.slice(of, of + 1).map((copy) => ({ ...copy, event: { ...copy.event, ...changed } })),
        ),
    ]);
    const records = recordsOf(deliveries);
    const { signal } = new AbortController();
    const batch = { deadLetter: () => Promise.reject(new Error('ClickHouse takes all of them')) };
    const ways = fc.sample(
      fc.record({
        length: fc.integer({ min: 1, max: 6 }),
        died: fc.constantFrom('never', 'before the keys', 'before the commit'),
      }),
      { numRuns: records.length, seed },
    );
    let start = 0;
    for (const { length, died } of ways) {
      const some = records.slice(start, start + length);
      const [first, last] = [some[0], some.at(-1)];
      if (first === undefined || last === undefined) break;
      const block = {
        partition: 0,
        firstOffset: first.offset,
        firstAt: first.timestamp,
        lastOffset: last.offset,
      };
      const insert = (insertKeys: typeof store.insertKeys) =>
        insertBlock(block, some, { store: { ...store, insertKeys }, batch, signal });
      if (died === 'before the keys')
        await insert(() => Promise.reject(new Error('died'))).catch(() => undefined);
      if (died === 'before the commit') await insert(store.insertKeys);
      await insert(store.insertKeys);
      start += length;
    }
    const [rows] = await own.query('select toInt32(count()) as count from events');
    expect(rows).toEqual({ count: sent.length });

    const engine = createClickHouseEngine({
      client,
      threads: 1,
      memoryBytes: 300_000_000,
      timeoutMs: 20_000,
    });
    for (const [index, { query, asOf, events }] of cases.entries()) {
      const report = await resultOf(query, {
        source: {
          projectId: `p${index}`,
          dialect: engine.dialect,
          events: sql`events`,
          people: sql`(select '' as distinct_id, '' as traits, '' as groups where false)`,
          cohorts: new Map(),
        },
        now: asOf,
        asOf,
        run: engine.query,
        eachPerson: engine.eachPerson,
      });
      const expected = comparable(reference(query, { events, now: asOf, asOf }));
      expect(comparable(report), `seed ${seed}, case ${index}`).toMatchObject(expected);
    }
  },
  60_000,
);
