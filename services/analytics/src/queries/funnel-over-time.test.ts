import { setImmediate } from 'node:timers/promises';
import { insightQuery } from '@switchboard/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { VisitPerson } from '../engine/engine.ts';
import { enginesForTests, type TestEngine } from '../testing/table.ts';
import { resultOf } from './result.ts';

const HOUR_MS = 3_600_000;
const HOURS = 300;
const [from, to] = ['2026-03-01', '2026-03-13'];

describe.each(await enginesForTests())('$name', ({ isMissing, start }) => {
  let started: TestEngine;
  beforeAll(async () => {
    if (!isMissing) started = await start();
  });
  afterAll(() => started?.stop());

  it.skipIf(isMissing)('lets other work continue while it follows a person with many events', async () => {
    const { engine, load, sourceOf } = started;
    const fields = { name: 'seen', session: null, properties: null, context: null };
    const events = Array.from({ length: 2 * HOURS }, (_, index) => ({
      ...{ id: String(index), person: 'ada', ...fields },
      t: Date.parse(from) + (index * HOUR_MS) / 2,
    }));
    await load([{ events, people: {}, personIds: {} }]);
    const order: string[] = [];
    const watched =
      (visit: VisitPerson): VisitPerson =>
      async (person) => {
        const other = setImmediate().then(() => order.push('other work'));
        await visit(person);
        order.push('visited');
        await other;
      };
    const report = await resultOf(
      insightQuery.parse({
        ...{ kind: 'funnel', range: { from, to }, interval: 'hour', view: 'over_time' },
        steps: [{ event: 'seen' }, { event: 'paid' }],
      }),
      {
        source: { ...sourceOf(0), dialect: engine.dialect, cohorts: new Map() },
        ...{ now: 0, asOf: 0, run: engine.query },
        eachPerson: (query, visit) => engine.eachPerson(query, watched(visit)),
      },
    );
    expect(order).toEqual(['other work', 'visited']);
    const ofHours = Array.from({ length: 13 * 24 }, (_, hour) => (hour < HOURS ? 0 : null));
    expect(report).toMatchObject({ series: [{ values: ofHours }] });
  });
});
