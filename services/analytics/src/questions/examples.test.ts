import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asker } from '../testing/asker.ts';
import { enginesForTests, type TestEngine } from '../testing/table.ts';

const onDay = (day: string, to = day) => ({ range: { from: day, to } });
const NOON = '2026-03-03T12:00:00Z';

describe.each(await enginesForTests())('$name', ({ isMissing, start }) => {
  let started: TestEngine;
  beforeAll(async () => {
    if (!isMissing) started = await start();
  }, 60_000);
  afterAll(() => started?.stop());
  const it = test.skipIf(isMissing);

  it('a day that clocks are set back into has the events after that', async () => {
    // At 00:01 of the next day, 02:31 in UTC, clocks showed 23:01 again.
    const times = ['02:29', '02:30', '02:31', '03:29', '03:30'].map((time) => `2010-11-07T${time}:00Z`);
    const ask = await asker(
      started,
      times.map((at) => ({ at, person: at })),
    );
    const common = { ...onDay('2010-11-06'), timezone: 'America/St_Johns' };
    const series = [{ event: 'a' }];
    expect(await ask({ kind: 'trends', ...common, series })).toMatchObject({ series: [{ values: [3] }] });
    expect(await ask({ kind: 'stickiness', ...common, series })).toMatchObject({ series: [{ values: [3] }] });
    expect(await ask({ kind: 'lifecycle', ...common })).toMatchObject({
      series: [{ values: [3] }, { values: [0] }, { values: [0] }, { values: [0] }],
    });
  });

  it.each(['0001-01-01', '1899-12-31', '2300-01-01', '9999-12-31'])(
    'events of %s are counted on their day',
    async (day) => {
      const ask = await asker(started, [{ at: `${day}T00:00:00.000Z` }, { at: `${day}T23:59:59.999Z` }]);
      expect(await ask({ kind: 'trends', ...onDay(day), series: [{ event: 'a' }] })).toMatchObject({
        buckets: [day],
        series: [{ values: [2] }],
      });
    },
  );

  it('the period before has the lines of this one', async () => {
    const ask = await asker(started, [
      { at: '2026-03-03T12:00:00Z', plan: 'pro' },
      { at: '2026-03-04T12:00:00Z', plan: 'pro' },
      { at: '2026-03-04T12:00:00Z', plan: 'free' },
      { at: '2026-03-04T12:00:00Z' },
      { at: '2026-03-01T12:00:00Z', plan: 'free' },
      { at: '2026-03-02T12:00:00Z', plan: 'pro' },
      { at: '2026-03-02T12:00:00Z', plan: 'old' },
    ]);
    const report = await ask({
      kind: 'trends',
      ...onDay('2026-03-03', '2026-03-04'),
      series: [{ event: 'a' }],
      breakdown: { property: 'plan', limit: 1 },
      compare: 'previous',
    });
    expect(report).toMatchObject({
      series: [
        { name: 'pro', values: [1, 1], previous: [0, 1] },
        { name: 'Other', values: [0, 1], previous: [1, 1] },
        { name: '(none)', values: [0, 1], previous: [0, 0] },
      ],
    });
  });

  it('values that only the period before has are the others', async () => {
    const at = '2026-03-02T12:00:00Z';
    const ask = await asker(started, [{ at, plan: 'old' }, { at, plan: 'older' }, { at }]);
    const report = await ask({
      kind: 'trends',
      ...onDay('2026-03-03'),
      series: [{ event: 'a' }],
      breakdown: { property: 'plan' },
      compare: 'previous',
    });
    expect(report).toMatchObject({
      series: [
        { name: 'Other', values: [0], previous: [2] },
        { name: '(none)', values: [0], previous: [1] },
      ],
    });
  });

  it('names that are not from data are marked, those from data are not', async () => {
    const plans = ['Other', 'Other', 'Other', 'pro', '(none)', undefined];
    const asked = await asker(
      started,
      plans.map((plan, index) => ({ at: NOON, person: String(index), plan })),
    );
    const ask = (question: object) => asked({ ...onDay('2026-03-03'), ...question });
    const breakdown = { property: 'plan', limit: 1 };
    const one = { event: 'a' };
    expect(await ask({ kind: 'trends', series: [one], breakdown })).toHaveProperty('series', [
      { name: 'Other', values: [3] },
      { name: 'Other (2)', builtIn: 'other', values: [2] },
      { name: '(none)', builtIn: 'none', values: [1] },
    ]);
    expect(await ask({ kind: 'trends', series: [one, one], breakdown })).toMatchObject({
      series: [
        { name: 'a: Other' },
        { name: 'a: Other (2)', builtIn: 'other' },
        { name: 'a: (none)', builtIn: 'none' },
        { name: 'a: Other (3)' },
        { name: 'a: Other (4)', builtIn: 'other' },
        { name: 'a: (none) (2)', builtIn: 'none' },
      ],
    });
    expect(await ask({ kind: 'funnel', steps: [one, one], breakdown })).toHaveProperty('series', [
      { name: 'Other', values: [3, 0] },
      { name: 'Other (2)', builtIn: 'other', values: [2, 0] },
      { name: '(none)', builtIn: 'none', values: [1, 0] },
    ]);
    const states = ['new', 'returning', 'resurrecting', 'dormant'];
    expect(await ask({ kind: 'lifecycle' })).toMatchObject({
      series: states.map((builtIn) => ({ builtIn })),
    });
  });

  it('values and names that are too long for a report are cut, and still different', async () => {
    const long = '👩‍🚀'.repeat(100);
    const ask = await asker(started, [{ at: NOON, plan: long }]);
    const common = { ...onDay('2026-03-03'), breakdown: { property: 'plan' } };
    const one = { event: 'a', name: 'x'.repeat(199) };
    expect(await ask({ kind: 'funnel', ...common, steps: [one, one] })).toMatchObject({
      series: [{ name: long.slice(0, 200) }],
    });
    expect(await ask({ kind: 'trends', ...common, series: [one, one] })).toMatchObject({
      series: [{ name: `${one.name}:` }, { name: `${'x'.repeat(190)} (2)` }],
    });
  });

  it('each of twelve series has ten values, others and none', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `event ${index}`);
    const plans = [...Array.from({ length: 11 }, (_, index) => `v${index}`), undefined];
    const ask = await asker(
      started,
      names.flatMap((name) => plans.map((plan) => ({ at: NOON, name, plan }))),
    );
    const report = await ask({
      kind: 'trends',
      ...onDay('2026-03-03'),
      series: names.map((event) => ({ event })),
      breakdown: { property: 'plan' },
    });
    const shown = ['v0', 'v1', 'v10', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7', 'v8', 'Other', '(none)'];
    expect(report).toMatchObject({
      series: names.flatMap((name) => shown.map((label) => ({ name: `${name}: ${label}`, values: [1] }))),
    });
  });

  it('twelve steps of one event take an event each', async () => {
    const all = Array.from({ length: 12 }, (_, index) => index);
    const seen = (person: string, pages: readonly number[]) =>
      pages.map((page, index) => ({
        at: new Date(Date.parse(NOON) + Math.floor(index / 3)).toISOString(),
        person,
        plan: `p${page}`,
      }));
    const ask = await asker(started, [...seen('ada', all), ...seen('bob', all.toReversed())]);
    const steps = all.map((page) => ({
      event: 'a',
      where: [{ attribute: 'plan', op: 'eq', value: `p${page}` }],
    }));
    // 0, 1 and 2 of bob are of the same moment.
    expect(await ask({ kind: 'funnel', ...onDay('2026-03-03'), steps })).toMatchObject({
      steps: all.map((step) => ({ count: step < 3 ? 2 : 1 })),
    });
  });
});
