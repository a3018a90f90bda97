import { type Database, openDatabase } from '@switchboard/database';
import type { OutgoingRecord, Published, RecordBatch, StoredRecord } from '@switchboard/event-log';
import { testDatabase } from '@switchboard/testkit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyBatch } from './apply.ts';
import {
  directoryMigrations,
  directoryRecord,
  directoryTombstone,
  ERASURE_REPORTS_TOPIC,
  outgoingRecord,
} from './index.ts';

let own: Awaited<ReturnType<typeof testDatabase>>;
let database: Database;
beforeAll(async () => {
  own = await testDatabase({ migrations: [directoryMigrations] });
  database = openDatabase({ url: own.url, applicationName: 'apply-test' });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

const ids = ['a', 'b', 'c'];
const report = (id: string, name: string | null) =>
  name === null
    ? directoryTombstone('report', 'shop', id)
    : directoryRecord('report', { projectId: 'shop', id, name });

/** Changes in the order of their revisions, and a delivery order in which each change arrives at least once. */
const deliveries = fc
  .array(fc.record({ id: fc.constantFrom(...ids), gone: fc.boolean() }), { minLength: 1, maxLength: 8 })
  .map((changes) =>
    changes.map(({ id, gone }, index) =>
      outgoingRecord(report(id, gone ? null : `revision ${index}`), BigInt(index), 1),
    ),
  )
  .chain((history) => {
    const some = fc.array(fc.constantFrom(...history), { maxLength: 8 });
    const arrivals = some.chain((again) => {
      const all = [...history, ...again];
      return fc.shuffledSubarray(all, { minLength: all.length });
    });
    return fc.record({ history: fc.constant(history), arrivals, batchSize: fc.integer({ min: 1, max: 5 }) });
  });

/**
 * Simulates the topic `directory` with one partition. Like catalogue, it republishes the newest record on a report.
 */
function topicOf(records: OutgoingRecord[], history: OutgoingRecord[]) {
  const stored: StoredRecord[] = [];
  let revision = history.length;
  const add = (record: OutgoingRecord) =>
    stored.push({ ...record, topic: 'directory', offset: BigInt(stored.length), timestamp: 0 });
  async function publish(topic: string, reports: OutgoingRecord[]): Promise<Published> {
    expect(topic).toBe(ERASURE_REPORTS_TOPIC);
    for (const reported of reports) {
      const newest = history.findLast(({ key }) => key === reported.key);
      if (newest === undefined) throw new Error(`no such entry: ${reported.key}`);
      add({ ...newest, headers: { revision: String(revision++) } });
    }
    return { offsetOf: () => 0n };
  }
  for (const record of records) add(record);
  return { stored, publish };
}

/** Returns the final content of a replica that starts empty. */
async function replicaOf({ stored, publish }: ReturnType<typeof topicOf>, batchSize: number) {
  await database.sql`truncate directory.entries, directory.applied`;
  for (let start = 0; start < stored.length; start += batchSize) {
    const records = stored.slice(start, start + batchSize);
    const batch: RecordBatch = {
      topic: 'directory',
      partition: 0,
      records,
      nextOffset: (records.at(-1)?.offset ?? 0n) + 1n,
      signal: new AbortController().signal,
      deadLetter: async (_record, reason) => {
        throw new Error(reason);
      },
      commit: async () => {},
    };
    await applyBatch(database.drizzle, { publish }, batch);
  }
  return database.sql`select 'report:' || id as key, value from directory.entries order by id`;
}

/** Returns the last record of each key. */
const lastOf = <T extends OutgoingRecord>(records: T[]) =>
  [...new Map(records.map((record) => [record.key, record])).values()].sort((a, b) =>
    String(a.key).localeCompare(String(b.key)),
  );

it('ends with the newest revision of each entry for records in any order, repeated or compacted', async () => {
  await fc.assert(
    fc.asyncProperty(deliveries, async ({ history, arrivals, batchSize }) => {
      const topic = topicOf(arrivals, history);
      const newest = lastOf(history).map(({ key, value }) => ({ key, value: value?.toString() ?? null }));
      expect([...(await replicaOf(topic, batchSize))]).toEqual(newest);
      const compacted = topicOf(lastOf(topic.stored), history);
      expect([...(await replicaOf(compacted, batchSize))]).toEqual(newest);
    }),
    { numRuns: 100 },
  );
});
