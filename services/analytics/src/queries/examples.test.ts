import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { attributeText } from '../conditions/attributes.ts';
import { queryRunner } from '../testing/query-runner.ts';
import { enginesForTests, type TestEngine } from '../testing/table.ts';

const onDay = (day: string, to = day) => ({ range: { from: day, to } });
const NOON = '2026-03-03T12:00:00Z';

describe.each(await enginesForTests())('$name', ({ isMissing, start }) => {
  let started: TestEngine;
  beforeAll(async () => {
    if (!isMissing) started = await start();
  });
  afterAll(() => started?.stop());
  const it = test.skipIf(isMissing);

  it('counts events after the clocks go back on the day that they go back into', async () => {
    // At 00:01 of the next day (02:31 UTC), clocks went back to 23:01.
    const times = ['02:29', '02:30', '02:31', '03:29', '03:30'].map((time) => `2010-11-07T${time}:00Z`);
    const ask = await queryRunner(
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
    'counts events of %s on their day',
    async (day) => {
      const ask = await queryRunner(started, [
        { at: `${day}T00:00:00.000Z` },
        { at: `${day}T23:59:59.999Z` },
      ]);
      expect(await ask({ kind: 'trends', ...onDay(day), series: [{ event: 'a' }] })).toMatchObject({
        buckets: [day],
        series: [{ values: [2] }],
      });
    },
  );

  it('gives the previous period the same lines as the current one', async () => {
    const ask = await queryRunner(started, [
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

  it('breaks down by several properties and by ranges, and shows the values with the largest measure', async () => {
    const orders = [
      ...[1, 2, 3].map((total) => ({ plan: 'free', total })),
      { plan: 'pro', total: 100 },
      { plan: 'pro', total: '40' },
      { plan: undefined, total: 'none' },
    ];
    const ask = await queryRunner(
      started,
      orders.map((properties, index) => ({ at: NOON, person: String(index), properties })),
    );
    const linesOf = async (query: object) => {
      const report = await ask({ kind: 'trends', ...onDay('2026-03-03'), ...query });
      return report.kind === 'line' ? report.series.map(({ name, values }) => [name, ...values]) : [];
    };
    const sum = { event: 'a', measure: 'sum', property: 'total' };
    const byPlan = { property: 'plan', limit: 1 };
    expect(await linesOf({ series: [sum], breakdown: byPlan })).toEqual([
      ['pro', 140],
      ['Other', 6],
      ['(none)', 0],
    ]);
    const total = { property: 'total', ranges: [2, 100] };
    expect(await linesOf({ series: [{ event: 'a' }], breakdown: total })).toEqual([
      ['2 – 100', 3],
      ['< 2', 1],
      ['≥ 100', 1],
      ['(none)', 1],
    ]);
    expect(await linesOf({ series: [sum], breakdown: { property: 'plan', and: [total] } })).toEqual([
      ['pro · ≥ 100', 100],
      ['pro · 2 – 100', 40],
      ['free · 2 – 100', 5],
      ['free · < 2', 1],
      ['(none) · (none)', 0],
    ]);
    expect(await linesOf({ series: [sum, { event: 'a' }], formula: 'A / B', breakdown: byPlan })).toEqual([
      ['pro', 70],
      ['Other', 2],
      ['(none)', 0],
    ]);
  });

  it('shows what people did after and before an event, with repeats as one', async () => {
    const visits = { ada: 'seen seen added paid', bob: 'home seen added', cyd: 'seen' };
    const events = Object.entries(visits).flatMap(([person, names]) =>
      names.split(' ').map((name, minute) => ({ at: `2026-03-03T12:0${minute}:00Z`, person, name })),
    );
    const ask = await queryRunner(started, events);
    const query = { kind: 'paths', ...onDay('2026-03-03') };
    expect(await ask({ ...query, after: { event: 'seen' } })).toMatchObject({
      levels: [
        [{ name: 'seen', count: 3, ended: 1 }],
        [{ name: 'added', count: 2, ended: 1 }],
        [{ name: 'paid', count: 1, ended: 1 }],
        [],
        [],
      ],
      links: [
        { level: 0, from: 0, to: 0, count: 2 },
        { level: 1, from: 0, to: 0, count: 1 },
      ],
    });
    expect(await ask({ ...query, before: { event: 'added' } })).toMatchObject({
      levels: [
        [],
        [],
        [{ name: 'home', count: 1, ended: 1 }],
        [{ name: 'seen', count: 2, ended: 1 }],
        [{ name: 'added', count: 2, ended: 0 }],
      ],
    });
    expect(await ask({ ...query, after: { event: 'seen' }, before: { event: 'paid' } })).toMatchObject({
      levels: [[{ name: 'seen', count: 1 }], [{ name: 'added' }], [{ name: 'paid' }], [], []],
    });
  });

  it('groups values that only the previous period has under the others', async () => {
    const at = '2026-03-02T12:00:00Z';
    const ask = await queryRunner(started, [{ at, plan: 'old' }, { at, plan: 'older' }, { at }]);
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

  it('marks built-in names, and leaves names from data unmarked', async () => {
    const plans = ['Other', 'Other', 'Other', 'pro', '(none)', undefined];
    const asked = await queryRunner(
      started,
      plans.map((plan, index) => ({ at: NOON, person: String(index), plan })),
    );
    const ask = (query: object) => asked({ ...onDay('2026-03-03'), ...query });
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

  it('cuts values and names that are too long for a report, and keeps them distinct', async () => {
    const long = '👩‍🚀'.repeat(100);
    const ask = await queryRunner(started, [{ at: NOON, plan: long }]);
    const common = { ...onDay('2026-03-03'), breakdown: { property: 'plan' } };
    const one = { event: 'a', name: 'x'.repeat(199) };
    expect(await ask({ kind: 'funnel', ...common, steps: [one, one] })).toMatchObject({
      series: [{ name: long.slice(0, 200) }],
    });
    expect(await ask({ kind: 'trends', ...common, series: [one, one] })).toMatchObject({
      series: [{ name: `${one.name}:` }, { name: `${'x'.repeat(190)} (2)` }],
    });
  });

  it('answers null for a sum beyond a double, and keeps the rest of the report', async () => {
    const [huge, half] = [{ total: 1e308 }, { total: '-0.5e308' }];
    const ask = await queryRunner(started, [
      { at: NOON, name: 'over', properties: huge, plan: undefined },
      { at: NOON, name: 'over', properties: { ...huge, plan: 'x' } },
      { at: NOON, name: 'over', properties: { ...huge, plan: 'x' } },
      ...[huge, huge, half, half].map((properties) => ({ at: NOON, name: 'back', properties })),
      ...[1, -1e308, 1.7e308, 5e-324, 1e308].map((total) => ({
        at: NOON,
        name: 'mixed',
        properties: { total },
      })),
      ...[-1.7e308, 1.7e308].map((total) => ({ at: NOON, name: 'apart', properties: { total } })),
      { at: NOON, name: 'tiny', properties: { total: 5e-324 } },
    ]);
    const trends = (series: object[], more = {}) =>
      ask({ kind: 'trends', ...onDay('2026-03-03'), series, ...more });
    const of = (event: string, measure: string) => ({ event, measure, property: 'total' });
    const resultOf = async (event: string, measure: string) => {
      const report = await trends([of(event, measure)]);
      return report.kind === 'line' ? report.series[0]?.values[0] : undefined;
    };
    expect(await trends([of('over', 'sum'), { event: 'over' }, of('back', 'sum')])).toHaveProperty('series', [
      { name: 'over, sum of total', unit: 'total', values: [null], total: null },
      { name: 'over, events', unit: 'events', values: [3] },
      { name: 'back', unit: 'total', values: [1e308] },
    ]);
    expect(await trends([of('over', 'sum')], { breakdown: { property: 'plan' } })).toHaveProperty('series', [
      { name: 'x', values: [null], total: null },
      { name: '(none)', builtIn: 'none', values: [1e308] },
    ]);
    expect(await resultOf('over', 'average')).toBe(1e308);
    expect(await resultOf('mixed', 'average')).toBe(3.4e307);
    expect(await resultOf('tiny', 'average')).toBe(5e-324);
    expect(await resultOf('apart', 'sum')).toBe(0);
    expect(await resultOf('apart', 'median')).toBe(0);
    expect(await resultOf('apart', 'p90')).toBe(1.36e308);
    expect(await resultOf('tiny', 'median')).toBe(5e-324);
  });

  it('omits a total beyond a double when the days alone are finite', async () => {
    const properties = { total: 1.5e308 };
    const days = ['01', '02', '03', '04'].map((day) => ({ at: `2026-03-${day}T12:00:00Z`, properties }));
    const ask = await queryRunner(started, days);
    const series = [{ event: 'a', measure: 'sum', property: 'total' }];
    const report = await ask({
      kind: 'trends',
      ...onDay('2026-03-03', '2026-03-04'),
      series,
      compare: 'previous',
    });
    const values = [1.5e308, 1.5e308];
    expect(report).toHaveProperty('series', [
      { name: 'a', values, previous: values, previousTotal: null, total: null },
    ]);
  });

  it('computes whole numbers up to 2^53 exactly, and fractions to 15 digits', async () => {
    const numbers = {
      bytes: [1234567890123],
      time: [1732600000123, 1],
      most: [2 ** 53 - 1, 1],
      sent: [0.1 + 0.2, 1e-7 / 3],
      split: [123456789.12, 987654321098.76],
      noise: Array(10).fill(0.1),
    };
    const ask = await queryRunner(
      started,
      Object.entries(numbers).flatMap(([name, values]) =>
        values.map((value) => ({ at: NOON, name, properties: { value } })),
      ),
    );
    const measured = async (event: string, measures: readonly string[]) => {
      const series = measures.map((measure) => ({ event, measure, property: 'value' }));
      const report = await ask({ kind: 'trends', ...onDay('2026-03-03'), series });
      return report.kind === 'line' ? report.series.map(({ values }) => values[0]) : [];
    };
    const all = ['sum', 'average', 'minimum', 'maximum', 'median', 'p90'];
    expect(await measured('bytes', all)).toEqual(Array(6).fill(1234567890123));
    expect(await measured('time', ['sum', 'average', 'maximum'])).toEqual([
      1732600000124, 866300000062, 1732600000123,
    ]);
    expect(await measured('most', ['sum', 'maximum'])).toEqual([2 ** 53, 2 ** 53 - 1]);
    expect(await measured('sent', ['minimum', 'maximum'])).toEqual([1e-7 / 3, 0.1 + 0.2]);
    expect(await measured('split', ['sum'])).toEqual([987777777887.88]);
    expect(await measured('noise', ['sum'])).toEqual([1]);
  });

  it('gives values that begin alike separate lines', async () => {
    const start = `https://shop.example/${'x'.repeat(200)}`;
    const plans = [
      `${start}/1`,
      `${start}/1`,
      `${start}/2`,
      `${start}/3`,
      start.slice(0, 200),
      { long: [start, 1] },
    ];
    const at = [NOON, '2026-03-02T12:00:00Z'];
    const ask = await queryRunner(
      started,
      at.flatMap((time) =>
        plans.map((plan, person) => ({ at: time, person: String(person), properties: { plan } })),
      ),
    );
    const common = { ...onDay('2026-03-03'), breakdown: { property: 'plan' } };
    const compared = await ask({ kind: 'trends', ...common, series: [{ event: 'a' }], compare: 'previous' });
    const linesOf = (report: typeof compared) => ('series' in report ? (report.series ?? []) : []);
    expect(linesOf(compared).map(({ values, previous }) => [values, previous])).toEqual([
      [[2], [2]],
      ...Array(4).fill([[1], [1]]),
    ]);
    const funnel = await ask({ kind: 'funnel', ...common, steps: [{ event: 'a' }, { event: 'a' }] });
    expect(linesOf(funnel).map(({ values }) => values)).toEqual([[2, 0], ...Array(4).fill([1, 0])]);
    const shown = linesOf(compared).map(({ name }) => name.replace(/ \(\d\)$/, ''));
    expect(shown.filter((name) => start.startsWith(name))).toHaveLength(4);
  });

  it('reads a property with a reserved name as property.<name>', async () => {
    const names = [
      'context.os',
      'trait.plan',
      'group.company.plan',
      'distinct_id',
      'session_id',
      '',
      'property.x',
    ];
    const properties = Object.fromEntries(names.map((name) => [name, `own ${name}`]));
    const ask = await queryRunner(started, [{ at: NOON, properties, context: { os: 'iOS' } }]);
    for (const name of [...names, 'plain']) {
      const attribute = attributeText({ of: 'property', name });
      const report = await ask({
        kind: 'trends',
        ...onDay('2026-03-03'),
        series: [{ event: 'a', where: [{ attribute, op: name === 'plain' ? 'is_not_set' : 'is_set' }] }],
        breakdown: { property: attribute },
      });
      const line = name === 'plain' ? '(none)' : `own ${name}`;
      expect(report, attribute).toMatchObject({ series: [{ name: line, values: [1] }] });
    }
  });

  it('leaves a day that the clocks skipped out of a report', async () => {
    const ask = await queryRunner(started, [
      { at: '2011-12-29T12:00:00-10:00' },
      { at: '2011-12-31T12:00:00+14:00' },
      { at: '2012-01-01T12:00:00+14:00' },
    ]);
    const common = { ...onDay('2011-12-29', '2012-01-01'), timezone: 'Pacific/Apia' };
    expect(await ask({ kind: 'trends', ...common, series: [{ event: 'a' }] })).toMatchObject({
      buckets: ['2011-12-29', '2011-12-31', '2012-01-01'],
      series: [{ values: [1, 1, 1] }],
    });
    expect(await ask({ kind: 'lifecycle', ...common, ...onDay('2011-12-31') })).toMatchObject({
      series: [{ values: [0] }, { values: [1] }, { values: [0] }, { values: [0] }],
    });
    const start = { event: 'a' };
    expect(
      await ask({ kind: 'retention', ...common, ...onDay('2011-12-29'), start, return: start, periods: 3 }),
    ).toMatchObject({ rows: [{ name: '2011-12-29', size: 1 }] });
  });

  it('counts people as retained until their latest return with on_or_after', async () => {
    const ask = await queryRunner(
      started,
      [
        { at: '2025-03-03T12:00:00Z', person: 'stays', name: 'begun' },
        { at: '2025-03-05T12:00:00Z', person: 'stays', name: 'used' },
        { at: '2025-06-01T12:00:00Z', person: 'stays', name: 'used' },
        { at: '2025-03-03T12:00:00Z', person: 'leaves', name: 'begun' },
        { at: '2025-03-04T12:00:00Z', person: 'leaves', name: 'used' },
        { at: '2025-03-03T12:00:00Z', person: 'never', name: 'begun' },
        { at: '2025-03-02T12:00:00Z', person: 'never', name: 'used' },
      ],
      { asOf: Date.UTC(2025, 6) },
    );
    const query = {
      kind: 'retention',
      ...onDay('2025-03-03'),
      start: { event: 'begun' },
      return: { event: 'used' },
      periods: 4,
    };
    expect(await ask(query)).toMatchObject({ rows: [{ size: 3, values: [0, 33.3, 33.3, 0] }] });
    expect(await ask({ ...query, retained: 'on_or_after' })).toMatchObject({
      rows: [{ size: 3, values: [66.7, 66.7, 33.3, 33.3] }],
    });
  });

  it('gives each of twelve series ten values, others and none', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `event ${index}`);
    const plans = [...Array.from({ length: 11 }, (_, index) => `v${index}`), undefined];
    const ask = await queryRunner(
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

  it.each([
    ['ordered', [4, 3, 2]],
    ['strict', [4, 2, 1]],
    ['any', [4, 4, 3]],
  ])('counts steps in the order %s', async (order, counts) => {
    const visits = {
      ada: 'seen added paid',
      bob: 'seen read added paid',
      cyd: 'seen added read',
      dan: 'paid added seen',
    };
    const events = Object.entries(visits).flatMap(([person, names]) =>
      names.split(' ').map((name, minute) => ({ at: `2026-03-03T12:0${minute}:00Z`, person, name })),
    );
    const ask = await queryRunner(started, events);
    const steps = ['seen', 'added', 'paid'].map((event) => ({ event }));
    const report = await ask({ kind: 'funnel', ...onDay('2026-03-03'), steps, order });
    expect(report).toMatchObject({ steps: counts.map((count) => ({ count })) });
  });

  it.each([
    ['all steps', {}, [6, 5, 2]],
    ['the first and the second', { to: 1 }, [6, 5, 4]],
    ['the second and the third', { from: 1 }, [6, 6, 4]],
  ])('leaves out chains with an excluded event between %s', async (_what, between, counts) => {
    const visits = {
      ada: 'seen added paid',
      bob: 'seen cancelled added paid',
      cyd: 'seen added cancelled paid',
      dan: 'cancelled seen added paid cancelled',
      // Added again since, and begun again since.
      eve: 'seen added cancelled added paid',
      fay: 'seen added cancelled seen added',
    };
    const events = Object.entries(visits).flatMap(([person, names]) =>
      names.split(' ').map((name, minute) => ({ at: `2026-03-03T12:0${minute}:00Z`, person, name })),
    );
    const ask = await queryRunner(started, events);
    const steps = ['seen', 'added', 'paid'].map((event) => ({ event }));
    const exclude = [{ event: 'cancelled', ...between }];
    const report = await ask({ kind: 'funnel', ...onDay('2026-03-03'), steps, exclude });
    expect(report).toMatchObject({ steps: counts.map((count) => ({ count })) });
  });

  it('lets people skip an optional step, and counts it only in its place', async () => {
    const visits = {
      ada: 'seen saved paid',
      bob: 'seen paid',
      cyd: 'seen saved',
      // Saved after the payment, before the next start.
      dan: 'seen paid saved seen',
      eve: 'saved seen',
    };
    const events = Object.entries(visits).flatMap(([person, names]) =>
      names.split(' ').map((name, minute) => ({ at: `2026-03-03T12:0${minute}:00Z`, person, name })),
    );
    const ask = await queryRunner(started, events);
    const steps = [{ event: 'seen' }, { event: 'saved', optional: true }, { event: 'paid' }];
    const query = { kind: 'funnel', ...onDay('2026-03-03'), steps };
    const report = [
      { count: 5, medianSeconds: null },
      { count: 2, optional: true, medianSeconds: 60 },
      { count: 3, medianSeconds: 60 },
    ];
    expect(await ask(query)).toMatchObject({ steps: report });
    expect(await ask({ ...query, order: 'strict' })).toMatchObject({ steps: report });
  });

  it('shows who of the people of each day converted within the window, by plan', async () => {
    const ask = await queryRunner(started, [
      { at: '2026-03-02T12:00:00Z', person: 'ada', name: 'seen', plan: 'pro' },
      { at: '2026-03-02T13:00:00Z', person: 'bob', name: 'seen', plan: 'free' },
      { at: '2026-03-03T12:00:00Z', person: 'ada', name: 'seen', plan: 'pro' },
      // After the window of the first day, within that of the second.
      { at: '2026-03-04T11:00:00Z', person: 'ada', name: 'paid' },
      { at: '2026-03-03T12:00:00Z', person: 'bob', name: 'paid' },
    ]);
    const steps = [{ event: 'seen' }, { event: 'paid', name: 'Paid' }];
    const query = { kind: 'funnel', ...onDay('2026-03-02', '2026-03-04'), steps, view: 'over_time' };
    const within = { window: { count: 1, unit: 'day' } };
    const buckets = ['2026-03-02', '2026-03-03', '2026-03-04'];
    expect(await ask({ ...query, ...within })).toEqual({
      ...{ kind: 'line', unit: '%', interval: 'day', buckets },
      series: [{ name: 'Paid', values: [50, 100, null], total: null }],
    });
    expect(await ask({ ...query, ...within, breakdown: { property: 'plan' } })).toMatchObject({
      breakdown: 'plan',
      series: [
        { name: 'pro', values: [0, 100, null] },
        { name: 'free', values: [100, null, null] },
      ],
    });
    expect(await ask(query)).toMatchObject({ series: [{ values: [100, 100, null] }] });
  });

  it('counts steps with the same value of a property', async () => {
    const orders = {
      ada: ['begun 1', 'begun 2', 'paid 1'],
      bob: ['begun 1', 'paid 2'],
      cyd: ['begun', 'paid'],
    };
    const events = Object.entries(orders).flatMap(([person, all]) =>
      all.map((one, minute) => {
        const [name = '', plan] = one.split(' ');
        return { at: `2026-03-03T12:0${minute}:00Z`, person, name, plan };
      }),
    );
    const ask = await queryRunner(started, events);
    const steps = [{ event: 'begun' }, { event: 'paid' }];
    const query = { kind: 'funnel', ...onDay('2026-03-03'), steps };
    expect(await ask(query)).toMatchObject({ steps: [{ count: 3 }, { count: 3, medianSeconds: 60 }] });
    expect(await ask({ ...query, sameProperty: 'plan' })).toMatchObject({
      steps: [{ count: 2 }, { count: 1, medianSeconds: 120 }],
    });
  });

  it('matches each of twelve steps of one event with a separate event', async () => {
    const all = Array.from({ length: 12 }, (_, index) => index);
    const seen = (person: string, pages: readonly number[]) =>
      pages.map((page, index) => ({
        at: new Date(Date.parse(NOON) + Math.floor(index / 3)).toISOString(),
        person,
        plan: `p${page}`,
      }));
    const ask = await queryRunner(started, [...seen('ada', all), ...seen('bob', all.toReversed())]);
    const steps = all.map((page) => ({
      event: 'a',
      where: [{ attribute: 'plan', op: 'eq', value: `p${page}` }],
    }));
    // Events 0, 1 and 2 of bob have the same time.
    expect(await ask({ kind: 'funnel', ...onDay('2026-03-03'), steps })).toMatchObject({
      steps: all.map((step) => ({ count: step < 3 ? 2 : 1 })),
    });
  });
});
