import { type Database, type ExpiringData, openDatabase, runAlone } from '@switchboard/database';
import { testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { createRetention } from './retention.ts';

let database: Database;
let drop: () => Promise<void>;
beforeAll(async () => {
  const test = await testDatabase();
  drop = test.drop;
  database = openDatabase({ url: test.url, applicationName: 'test' });
});
afterAll(async () => {
  await database.close();
  await drop();
});

const DAY = 86_400_000;
const now = Date.parse('2026-03-10T12:00:00Z');
const clock = { now: () => new Date(now) };
const logger = createLogger({ service: 'test', level: 'silent' });

/** Returns data with rows of these ages in days, removed two at a time. */
function rowsOf(kind: string, days: number | undefined, ages: number[]) {
  const rows = ages.map((age) => now - age * DAY).sort((a, b) => a - b);
  const data: ExpiringData = {
    kind,
    days,
    async removeBefore(time) {
      const old = rows.filter((at) => at < time.getTime()).slice(0, 2);
      rows.splice(0, old.length);
      return { rows: old.length, objects: old.length * 10 };
    },
    oldest: async () => (rows[0] === undefined ? undefined : new Date(rows[0])),
  };
  return { rows, data };
}

function retentionOf(...data: ExpiringData[]) {
  const metrics = createMetrics('test');
  const retention = createRetention({ database, data, clock, logger, metrics });
  const values = async (name: string) => {
    const metric = await metrics.registry.getSingleMetric(name)?.get();
    return Object.fromEntries(
      (metric?.values ?? []).map(({ labels, value }) => [
        `${labels['kind']} ${labels['what'] ?? ''}`.trim(),
        value,
      ]),
    );
  };
  return { retention, values };
}

it('removes rows older than their days batch after batch, and none that are kept indefinitely', async () => {
  const replies = rowsOf('replies', 7, [1, 6.9, 7.1, 8, 9, 10, 400]);
  const drafts = rowsOf('drafts', undefined, [5000]);
  const { retention, values } = retentionOf(replies.data, drafts.data);
  await retention.run();
  expect(replies.rows.map((at) => (now - at) / DAY)).toEqual([6.9, 1]);
  expect(drafts.rows).toHaveLength(1);
  expect(await values('switchboard_retention_removed_total')).toEqual({
    'replies rows': 5,
    'replies objects': 50,
  });
  expect(await values('switchboard_retention_oldest_seconds')).toEqual({ replies: (6.9 * DAY) / 1000 });
  expect(await values('switchboard_retention_last_success_timestamp_seconds')).toEqual({
    replies: now / 1000,
  });
});

it('continues with the next kind when one fails, and reports no success of the failed one', async () => {
  const failing = rowsOf('failing', 7, [8]).data;
  const replies = rowsOf('replies', 7, [8]);
  const fails = { ...failing, removeBefore: () => Promise.reject(new Error('no')) };
  const { retention, values } = retentionOf(fails, replies.data);
  await retention.run();
  expect(replies.rows).toEqual([]);
  expect(await values('switchboard_retention_last_success_timestamp_seconds')).toEqual({
    failing: 0,
    replies: now / 1000,
  });
});

it('skips a kind that another process works on, with a lock that ends with the work', async () => {
  const replies = rowsOf('replies', 7, [8]);
  const { retention } = retentionOf(replies.data);
  const refused = await runAlone(database.drizzle, 'retention replies', async () => {
    expect(await runAlone(database.drizzle, 'retention replies', async () => undefined)).toBe(false);
    await retention.run();
    expect(replies.rows).toHaveLength(1);
    throw new Error('killed');
  }).catch((error: Error) => error.message);
  expect(refused).toBe('killed');
  await retention.run();
  expect(replies.rows).toEqual([]);
});

it('stops after the current batch', async () => {
  const replies = rowsOf('replies', 7, [8, 9, 10, 11, 12]);
  const begun = Promise.withResolvers<void>();
  const { retention } = retentionOf({
    ...replies.data,
    removeBefore(time) {
      begun.resolve();
      return replies.data.removeBefore(time);
    },
  });
  retention.start();
  await begun.promise;
  await retention.stop();
  expect(replies.rows.length).toBeGreaterThan(0);
  expect(replies.rows.length).toBeLessThan(5);
});
