import { insightQuery, reportContent } from '@switchboard/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { casesOf, kindsOfCases } from '../testing/generated.ts';
import { comparable, reference } from '../testing/reference.ts';
import { enginesForTests, type TestEngine } from '../testing/table.ts';
import { answer } from './answer.ts';

/** Of each kind; for more, `INSIGHT_CASES=2000`. ClickHouse takes ten times as long to plan a query. */
const CASES = { DuckDB: 500, ClickHouse: 20 } as const;
const WANTED = process.env['INSIGHT_CASES'];

describe.each(await enginesForTests())('$name', ({ name, isMissing, start }) => {
  let started: TestEngine;
  beforeAll(async () => {
    if (!isMissing) started = await start();
  }, 60_000);
  afterAll(() => started?.stop());

  test.skipIf(isMissing).each(kindsOfCases)(
    '%s as the plain reference does',
    async (kind) => {
      const { engine, load, sourceOf } = started;
      const seed = Math.floor(Math.random() * 2 ** 31);
      const cases = fc.sample(casesOf(kind), { numRuns: Number(WANTED ?? CASES[name]), seed });
      await load(cases);
      for (const [index, { question, asOf, events, people, cohorts }] of cases.entries()) {
        const about = `seed ${seed}, case ${index}: ${JSON.stringify([question, people, [...cohorts]])}`;
        const report = await answer(question, {
          source: { ...sourceOf(index), dialect: engine.dialect, cohorts },
          now: asOf,
          asOf,
          query: (query) => engine.query(query),
        }).catch((cause: unknown) => {
          throw new Error(about, { cause });
        });
        expect(reportContent.safeParse(report).error?.issues, about).toBeUndefined();
        const expected = comparable(reference(question, { events, now: asOf, asOf }));
        expect(comparable(report), about).toMatchObject(expected);
      }
    },
    600_000,
  );

  test.skipIf(isMissing)('a day that clocks are set back into has the events after that', async () => {
    const { engine, load, sourceOf } = started;
    // At 00:01 of the next day, 02:31 in UTC, clocks showed 23:01 again.
    const times = ['02:29', '02:30', '02:31', '03:29', '03:30'].map((time) => `2010-11-07T${time}:00Z`);
    const events = times.map((time) => ({
      id: time,
      t: Date.parse(time),
      name: 'a',
      person: time,
      session: null,
      properties: null,
      context: null,
    }));
    await load([{ events, people: {} }]);
    const ask = (question: object) =>
      answer(
        insightQuery.parse({
          range: { from: '2010-11-06', to: '2010-11-06' },
          timezone: 'America/St_Johns',
          ...question,
        }),
        {
          source: { ...sourceOf(0), dialect: engine.dialect, cohorts: new Map() },
          now: 0,
          asOf: 0,
          query: (query) => engine.query(query),
        },
      );
    const series = [{ event: 'a' }];
    expect(await ask({ kind: 'trends', series })).toMatchObject({ series: [{ values: [3] }] });
    expect(await ask({ kind: 'stickiness', series })).toMatchObject({ series: [{ values: [3] }] });
    expect(await ask({ kind: 'lifecycle' })).toMatchObject({
      series: [{ values: [3] }, { values: [0] }, { values: [0] }, { values: [0] }],
    });
  });

  test.skipIf(isMissing)('the period before has the lines of this one', async () => {
    const { engine, load, sourceOf } = started;
    const eventOf = (day: string, plan?: string) => ({
      id: `${day} ${plan}`,
      t: Date.parse(`${day}T12:00:00Z`),
      name: 'a',
      person: 'ada',
      session: null,
      properties: plan === undefined ? null : { plan },
      context: null,
    });
    const now = [eventOf('2026-03-03', 'pro'), eventOf('2026-03-04', 'pro'), eventOf('2026-03-04', 'free')];
    const before = [
      eventOf('2026-03-01', 'free'),
      eventOf('2026-03-02', 'pro'),
      eventOf('2026-03-02', 'old'),
    ];
    await load([{ events: [...now, eventOf('2026-03-04'), ...before], people: {} }]);
    const question = insightQuery.parse({
      kind: 'trends',
      range: { from: '2026-03-03', to: '2026-03-04' },
      series: [{ event: 'a' }],
      breakdown: { property: 'plan', limit: 1 },
      compare: 'previous',
    });
    const report = await answer(question, {
      source: { ...sourceOf(0), dialect: engine.dialect, cohorts: new Map() },
      now: 0,
      asOf: 0,
      query: (query) => engine.query(query),
    });
    expect(report).toMatchObject({
      series: [
        { name: 'pro', values: [1, 1], previous: [0, 1] },
        { name: 'Other', values: [0, 1], previous: [1, 1] },
        { name: '(none)', values: [0, 1], previous: [0, 0] },
      ],
    });
  });

  test.skipIf(isMissing)('names that are not from data are marked, those from data are not', async () => {
    const { engine, load, sourceOf } = started;
    const plans = ['Other', 'Other', 'Other', 'pro', '(none)', undefined];
    const events = plans.map((plan, index) => ({
      id: String(index),
      t: Date.parse('2026-03-03T12:00:00Z'),
      name: 'a',
      person: String(index),
      session: null,
      properties: plan === undefined ? null : { plan },
      context: null,
    }));
    await load([{ events, people: {} }]);
    const ask = (question: object) =>
      answer(insightQuery.parse({ range: { from: '2026-03-03', to: '2026-03-03' }, ...question }), {
        source: { ...sourceOf(0), dialect: engine.dialect, cohorts: new Map() },
        now: 0,
        asOf: 0,
        query: (query) => engine.query(query),
      });
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

  test.skipIf(isMissing)('values that only the period before has are the others', async () => {
    const { engine, load, sourceOf } = started;
    const before = ['old', 'older', undefined].map((plan, index) => ({
      id: String(index),
      t: Date.parse('2026-03-02T12:00:00Z'),
      name: 'a',
      person: 'ada',
      session: null,
      properties: plan === undefined ? null : { plan },
      context: null,
    }));
    await load([{ events: before, people: {} }]);
    const question = insightQuery.parse({
      kind: 'trends',
      range: { from: '2026-03-03', to: '2026-03-03' },
      series: [{ event: 'a' }],
      breakdown: { property: 'plan' },
      compare: 'previous',
    });
    const report = await answer(question, {
      source: { ...sourceOf(0), dialect: engine.dialect, cohorts: new Map() },
      now: 0,
      asOf: 0,
      query: (query) => engine.query(query),
    });
    expect(report).toMatchObject({
      series: [
        { name: 'Other', values: [0], previous: [2] },
        { name: '(none)', values: [0], previous: [1] },
      ],
    });
  });

  test.skipIf(isMissing).each(['0001-01-01', '1899-12-31', '2300-01-01', '9999-12-31'])(
    'events of %s are counted on their day',
    async (day) => {
      const { engine, load, sourceOf } = started;
      const events = ['00:00:00.000Z', '23:59:59.999Z'].map((time) => ({
        id: time,
        t: Date.parse(`${day}T${time}`),
        name: 'a',
        person: 'ada',
        session: null,
        properties: null,
        context: null,
      }));
      await load([{ events, people: {} }]);
      const question = insightQuery.parse({
        kind: 'trends',
        range: { from: day, to: day },
        series: [{ event: 'a' }],
      });
      const report = await answer(question, {
        source: { ...sourceOf(0), dialect: engine.dialect, cohorts: new Map() },
        now: 0,
        asOf: 0,
        query: (query) => engine.query(query),
      });
      expect(report).toMatchObject({ buckets: [day], series: [{ values: [2] }] });
    },
  );

  test.skipIf(isMissing)('twelve steps of one event take an event each', async () => {
    const { engine, load, sourceOf } = started;
    const steps = Array.from({ length: 12 }, (_, index) => ({
      event: 'page seen',
      where: [{ attribute: 'path', op: 'eq', value: `/${index}` }],
    }));
    const eventsOf = (person: string, pages: readonly number[]) =>
      pages.map((page, index) => ({
        id: `${person} ${index}`,
        t: Date.parse('2026-03-03T12:00:00Z') + Math.floor(index / 3),
        name: 'page seen',
        person,
        session: null,
        properties: { path: `/${page}` },
        context: null,
      }));
    const all = [...steps.keys()];
    await load([{ events: [...eventsOf('ada', all), ...eventsOf('bob', all.toReversed())], people: {} }]);
    const range = { from: '2026-03-03', to: '2026-03-03' };
    const report = await answer(insightQuery.parse({ kind: 'funnel', range, steps }), {
      source: { ...sourceOf(0), dialect: engine.dialect, cohorts: new Map() },
      now: 0,
      asOf: 0,
      query: (query) => engine.query(query),
    });
    // The pages 0, 1 and 2 of the other are of the same moment.
    expect(report).toMatchObject({
      steps: all.map((step) => ({ count: step < 3 ? 2 : 1 })),
    });
  });

  test.skipIf(isMissing)('each of twelve series has ten values, others and none', async () => {
    const { engine, load, sourceOf } = started;
    const values = [...Array.from({ length: 11 }, (_, index) => `v${index}`), undefined];
    const names = Array.from({ length: 12 }, (_, index) => `event ${index}`);
    const events = names.flatMap((name) =>
      values.map((plan) => ({
        id: `${name} ${plan}`,
        t: Date.parse('2026-03-03T12:00:00Z'),
        name,
        person: 'ada',
        session: null,
        properties: plan === undefined ? null : { plan },
        context: null,
      })),
    );
    await load([{ events, people: {} }]);
    const question = insightQuery.parse({
      kind: 'trends',
      range: { from: '2026-03-03', to: '2026-03-03' },
      series: names.map((event) => ({ event })),
      breakdown: { property: 'plan' },
    });
    const report = await answer(question, {
      source: { ...sourceOf(0), dialect: engine.dialect, cohorts: new Map() },
      now: 0,
      asOf: 0,
      query: (query) => engine.query(query),
    });
    expect(reportContent.parse(report)).toMatchObject({
      series: names.flatMap((name) =>
        ['v0', 'v1', 'v10', 'v2', 'v3', 'v4', 'v5', 'v6', 'v7', 'v8', 'Other', '(none)'].map((label) => ({
          name: `${name}: ${label}`,
          values: [1],
        })),
      ),
    });
  });
});
