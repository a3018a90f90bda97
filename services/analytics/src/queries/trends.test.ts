import { drawMap } from '@switchboard/report-content/map';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COUNTRY_OF_ZONE } from '../engine/countries.ts';
import { queryRunner } from '../testing/query-runner.ts';
import { enginesForTests, type TestEngine } from '../testing/table.ts';

const range = { from: '2026-03-03', to: '2026-03-03' };

describe.each(await enginesForTests())('$name', ({ isMissing, start }) => {
  let started: TestEngine;
  beforeAll(async () => {
    if (!isMissing) started = await start();
  });
  afterAll(() => started?.stop());

  test.skipIf(isMissing)('keeps every event of the previous period', async () => {
    const days = [...Array.from({ length: 31 }, (_, day) => `01-${day + 1}`), '02-1', '02-28'];
    const compared = await queryRunner(
      started,
      days.map((day) => ({ at: `2026-${day} 12:00Z`, person: day, properties: { price: 0.1 } })),
      { now: Date.parse('2026-01-20T12:00Z') },
    );
    const ask = (query: object) => compared({ kind: 'trends', compare: 'previous', ...query });
    const one = { event: 'a' };
    expect(
      await ask({
        range: { from: '2026-02-01', to: '2026-02-28' },
        series: [one, { ...one, measure: 'sum', property: 'price' }, { ...one, measure: 'people' }],
      }),
    ).toHaveProperty('series', [
      {
        name: 'a, events',
        unit: 'events',
        values: [1, ...Array(26).fill(0), 1],
        previous: Array(28).fill(1),
        previousTotal: 31,
      },
      {
        name: 'a, sum of price',
        unit: 'price',
        values: [0.1, ...Array(26).fill(0), 0.1],
        previous: Array(28).fill(0.1),
        previousTotal: 3.1,
      },
      {
        name: 'a, people',
        unit: 'people',
        values: [1, ...Array(26).fill(0), 1],
        previous: Array(28).fill(1),
        total: null,
      },
    ]);
    const weeks = { interval: 'week', series: [one] };
    // From a Wednesday to a Sunday, and the current week on a Tuesday.
    for (const short of [
      { from: '2026-01-21', to: '2026-01-25' },
      { last: 1, unit: 'week' },
    ]) {
      const count = 'from' in short ? 5 : 2;
      expect(await ask({ range: short, ...weeks })).toHaveProperty('series', [
        { name: 'a', values: [count], previous: [count] },
      ]);
    }
  });

  test.skipIf(isMissing)('names the series of one event after their differences', async () => {
    const ask = await queryRunner(started, []);
    const namesOf = async (series: object[]) => {
      const report = await ask({ kind: 'trends', range, series });
      return report.kind === 'line' ? report.series.map(({ name }) => name) : [];
    };
    const seen = { event: 'seen', property: 'price' };
    const other = { event: 'bought', measure: 'people' };
    expect(await namesOf([{ ...seen, measure: 'median' }, other])).toEqual(['seen', 'bought']);
    expect(
      await namesOf([
        { ...seen, measure: 'median' },
        other,
        { ...seen, measure: 'p90' },
        { ...seen, measure: 'median', property: 'size' },
        { event: 'seen', measure: 'people' },
        { event: 'seen' },
        { ...seen, name: 'Price' },
      ]),
    ).toEqual([
      'seen, median of price',
      'bought',
      'seen, p90 of price',
      'seen, median of size',
      'seen, people',
      'seen, events',
      'Price',
    ]);
    // These series differ, but not in their measure.
    const where = [{ attribute: 'plan', op: 'eq', value: 'pro' }];
    expect(await namesOf([{ event: 'seen' }, { ...seen, where }])).toEqual(['seen', 'seen (2)']);
    expect(await namesOf([{ event: 'seen' }, { ...other, name: 'Bought' }])).toEqual(['seen', 'Bought']);
  });

  test.skipIf(isMissing)('counts sessions, where they begin and end, and without known bots', async () => {
    const viewed = (second: number, path: string, more: object) => ({
      at: `2026-03-03T12:00:${second}Z`,
      properties: { path },
      ...more,
    });
    const asked = await queryRunner(started, [
      viewed(10, '/', { session: 'one' }),
      viewed(20, '/tents', { session: 'one' }),
      viewed(50, '/basket', { session: 'one' }),
      viewed(30, '/tents', { session: 'two' }),
      viewed(30, '/', { session: 'crawl', isBot: true }),
      viewed(31, '/stoves', { session: 'crawl', isBot: true }),
      viewed(40, '/', { session: null }),
    ]);
    const linesOf = async (query: object) => {
      const report = await asked({ kind: 'trends', range, ...query });
      return report.kind === 'line' ? report.series.map(({ name, values }) => [name, ...values]) : [];
    };
    const by = (measure: string) =>
      linesOf({ series: [{ event: 'a', measure }], breakdown: { property: 'path' } });
    expect(await by('sessions')).toEqual([
      ['/', 1],
      ['/tents', 1],
    ]);
    expect(await by('exits')).toEqual([
      ['/basket', 1],
      ['/tents', 1],
    ]);
    const measures = ['sessions', 'bounce_rate', 'session_seconds', 'session_events', 'events'];
    const series = measures.map((measure) => ({ event: 'a', measure, name: measure }));
    expect(await linesOf({ series })).toEqual([
      ['sessions', 2],
      ['bounce_rate', 50],
      ['session_seconds', 20],
      ['session_events', 2],
      ['events', 5],
    ]);
    expect(await linesOf({ series, formula: 'E / A', bots: true })).toEqual([['E / A', 2.33333333333333]]);
    const paths = [{ event: 'a', measure: 'unique', property: 'path' }];
    expect(await linesOf({ series: paths })).toEqual([['a', 3]]);
    const goal = { value: 5, label: 'Plan' };
    const shown = { goal, display: 'area' };
    expect(await asked({ kind: 'trends', range, series: paths, ...shown })).toMatchObject(shown);
  });

  test.skipIf(isMissing)(
    'treats an empty text as a value of its own, next to one named (empty)',
    async () => {
      const plans = ['', '', '', '(empty)', '(empty)', null];
      const asked = await queryRunner(
        started,
        plans.map((plan, index) => ({
          at: '2026-03-03T12:00:00Z',
          person: String(index),
          properties: { plan },
        })),
      );
      const ask = (query: object) => asked({ range, ...query });
      const one = { event: 'a' };
      const breakdown = { property: 'plan' };
      const compare = 'previous';
      expect(await ask({ kind: 'trends', series: [one], breakdown, compare })).toHaveProperty('series', [
        { name: '(empty)', builtIn: 'empty', values: [3], previous: [0] },
        { name: '(empty) (2)', values: [2], previous: [0] },
        { name: '(none)', builtIn: 'none', values: [1], previous: [0] },
      ]);
      expect(await ask({ kind: 'trends', series: [one, one], breakdown })).toMatchObject({
        series: [
          { name: 'a: (empty)', builtIn: 'empty' },
          {},
          {},
          { name: 'a: (empty) (3)', builtIn: 'empty' },
          {},
          {},
        ],
      });
      expect(await ask({ kind: 'funnel', steps: [one, one], breakdown })).toHaveProperty('series', [
        { name: '(empty)', builtIn: 'empty', values: [3, 0] },
        { name: '(empty) (2)', values: [2, 0] },
        { name: '(none)', builtIn: 'none', values: [1, 0] },
      ]);
    },
  );

  test.skipIf(isMissing)('counts people once over the whole range for each country of a map', async () => {
    const countries = [...new Set(COUNTRY_OF_ZONE.values())];
    const at = (day: string, person: string, properties: Record<string, string>) => ({
      at: `2026-03-${day}T12:00:00Z`,
      person,
      properties,
    });
    const ask = await queryRunner(started, [
      ...countries.map((country) => at('03', country, { country })),
      ...['03', '04'].flatMap((day) => [
        at(day, 'ada', { time_zone: 'Europe/Berlin' }),
        at(day, 'eve', { country: 'toString' }),
      ]),
      at('01', 'bob', { country: 'SG' }),
      at('04', 'nowhere', {}),
    ]);
    const query = {
      kind: 'trends',
      range: { from: '2026-03-03', to: '2026-03-04' },
      series: [{ event: 'a', measure: 'people' }],
      breakdown: { property: 'country' },
      display: 'map',
      compare: 'previous',
    };
    const report = await ask(query);
    if (report.kind !== 'line') throw new Error('no lines');
    expect(report).toMatchObject({
      breakdown: 'country',
      buckets: ['2026-03-03 – 2026-03-04'],
      display: 'map',
    });
    expect(report).not.toHaveProperty('interval');
    expect(report.series).toHaveLength(countries.length + 2);
    expect(report.series[0]).toEqual({ name: 'DE', values: [2], previous: [0], total: null });
    expect(report.series.find(({ name }) => name === 'SG')).toMatchObject({ values: [1], previous: [1] });
    expect(report.series.at(-1)).toMatchObject({ builtIn: 'none', values: [1] });

    const { countries: drawn, left } = drawMap(report);
    // Antarctica, the text that is no country, and no country.
    expect(left).toBe(3);
    expect(new Set(drawn.map(({ code }) => code))).toEqual(
      new Set(countries.filter((code) => code !== 'AQ')),
    );
  });

  test.skipIf(isMissing)('shows 250 values on a map unless the query requests fewer', async () => {
    const ask = await queryRunner(
      started,
      Array.from({ length: 260 }, (_, index) => ({
        at: '2026-03-03T12:00:00Z',
        properties: { region: `region ${index}` },
      })),
    );
    const valuesOf = async (more: object) => {
      const series = [{ event: 'a' }];
      const report = await ask({
        kind: 'trends',
        range,
        series,
        display: 'map',
        breakdown: { property: 'region', ...more },
      });
      return report.kind === 'line' ? report.series.map(({ values }) => values[0]) : [];
    };
    expect(await valuesOf({})).toEqual([...Array(250).fill(1), 10]);
    expect(await valuesOf({ limit: 2 })).toEqual([1, 1, 258]);
  });
});
