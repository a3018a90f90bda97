import { alertDefinition, type InsightQuery } from '@switchboard/contracts';
import { Unavailable } from '@switchboard/http';
import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import {
  type AlertRow,
  applyEvaluation,
  createAlertStatesStore,
  insertAlert,
} from '../alert-states/store.ts';
import type { Insights } from '../insights/insights.ts';
import { useDatabase } from '../testing/database.ts';
import { evaluate } from './evaluate.ts';
import { createEvaluator } from './evaluator.ts';

const { database } = await useDatabase();

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.parse('2026-03-01T12:00:00Z');
let now = START;
beforeEach(async () => {
  await database.sql`truncate alerts cascade`;
  now = START;
});

const definition = (more: object = {}) =>
  alertDefinition.parse({
    name: 'Silence',
    query: { kind: 'trends', range: { last: 1, unit: 'day' }, interval: 'hour', series: [{ event: 'paid' }] },
    rule: { kind: 'missing' },
    ...more,
  });

/** Creates insights that compute the value of each hour from its time. */
function insightsOf(valueAt: (t: number) => number, onAsked: (projectId: string) => void = () => undefined) {
  const ask = async (projectId: string, { range }: InsightQuery) => {
    onAsked(projectId);
    if (!('from' in range)) throw new Error('a range without dates');
    const hours = (Date.parse(range.to) - Date.parse(range.from)) / HOUR_MS + 24;
    const times = Array.from({ length: hours }, (_, hour) => Date.parse(range.from) + hour * HOUR_MS);
    const series = [{ name: 'paid', values: times.map(valueAt) }];
    const report = { kind: 'line', interval: 'hour', buckets: times.map(String), series };
    return { prepare: async () => ({ body: JSON.stringify({ report }) }) };
  };
  return { ask } as unknown as Pick<Insights, 'ask'>;
}

function startEvaluator(insights: Pick<Insights, 'ask'>) {
  const evaluator = createEvaluator({
    db: database.drizzle,
    insights,
    watermark: { asOf: () => now },
    directory: { project: async () => ({ region: 'eu' }) as never },
    region: 'eu',
    clock: { now: () => new Date(now) },
    elapsed: () => now,
    logger: createLogger({ service: 'test', level: 'silent' }),
  });
  evaluator.start();
  onTestFinished(() => evaluator.stop());
}

const add = (projectId: string, id: string) =>
  database.drizzle.transaction((tx) => insertAlert(tx, { projectId, id }, definition(), new Date(now)));

it('evaluates the alerts of other projects after one slow query, and repeats it after ten times its duration', async () => {
  for (const id of ['a', 'b', 'c']) await add('slow', id);
  await add('swift', 'a');
  const asked: string[] = [];
  startEvaluator(
    insightsOf(
      () => 1,
      (projectId) => {
        asked.push(projectId);
        if (projectId === 'swift') return;
        now += 30_000;
        throw new Unavailable('The query took too long.');
      },
    ),
  );
  await eventually(() => expect(asked).toEqual(['slow', 'swift', 'slow', 'slow']));
  const store = createAlertStatesStore(database.drizzle);
  await eventually(async () => {
    const rows = await store.list('slow');
    const ends = [30_000, 60_000, 90_000];
    expect(rows.map(({ nextAt }) => nextAt.getTime()).sort()).toEqual(
      ends.map((end) => START + end + 300_000),
    );
    expect(new Set(rows.map(({ error }) => error))).toEqual(new Set(['The query took too long.']));
  });
  expect(await store.list('swift')).toMatchObject([{ evaluatedBucket: '2026-03-01T11:00', value: 1 }]);
});

it('ignores the result of an instance that another has taken an alert over from', async () => {
  await add('shop', 'late');
  const store = createAlertStatesStore(database.drizzle);
  const claim = async (): Promise<AlertRow> => {
    const until = new Date(now + 300_000);
    const claimed = await store.claim({ now: new Date(now), until, latest: new Date(now + 600_000) }, '');
    if (claimed === undefined) throw new Error('not due');
    return claimed;
  };
  const apply = (claimed: AlertRow) =>
    database.drizzle.transaction((tx) => {
      const at = { bucket: '2026-03-01T11:00', value: 0, expected: null };
      const state = { isFiring: true, streak: 0, evaluatedBucket: at.bucket, value: 0 };
      const times = { now: new Date(now), nextAt: new Date(now + HOUR_MS) };
      return applyEvaluation(tx, claimed, { ...state, transitions: [{ type: 'alert.fired', ...at }] }, times);
    });
  const late = await claim();
  now += 300_000;
  await apply(await claim());
  await apply(late);
  await store.fail(late, 'Late.', new Date(now));
  expect(await store.incidents(late)).toHaveLength(1);
  expect(await store.list('shop')).toMatchObject([{ error: null, nextAt: new Date(now + HOUR_MS) }]);
});

it('evaluates the last 48 buckets after a long pause', async () => {
  // Each week has ten times the values of the week before, so that every bucket is an anomaly.
  const insights = insightsOf((t) => 10 ** Math.floor((t - START) / (7 * DAY_MS) + 12));
  const { transitions, evaluatedBucket } = await evaluate(
    {
      definition: definition({ rule: { kind: 'anomaly', direction: 'up' } }),
      ...{ evaluatedBucket: '2025-01-01T00:00', value: 1, isFiring: false, streak: 0 },
    },
    { insights, projectId: 'shop', now, asOf: now },
  );
  expect(evaluatedBucket).toBe('2026-03-01T11:00');
  expect(transitions).toMatchObject([{ type: 'alert.fired', bucket: '2026-02-27T12:00' }]);
});
