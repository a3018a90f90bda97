import type { InsightQuery, ReportContent } from '@switchboard/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { casesOf, kindsOfCases } from '../testing/arbitraries.ts';
import { enginesForTests, type TestEngine } from '../testing/table.ts';
import type { Point } from './point.ts';
import { percentage } from './query.ts';
import { peopleOf, resultOf } from './result.ts';

/** The number of cases per kind, and of values per case. Set `INSIGHT_CASES=2000` for more. */
const CASES = { DuckDB: 20, ClickHouse: 4 } as const;
const VALUES = 8;
const WANTED = process.env['INSIGHT_CASES'];

/** A value of a report, and what it is for a number of people. */
interface Value {
  point: Point;
  value: number;
  of(people: number, others: number): number;
  /** A point with the other people that the value compares with. */
  others?: Point;
}

const same = (people: number) => people;

/** Returns the last step before one that is not optional. */
const before = (steps: readonly { optional?: boolean | undefined }[], step: number) =>
  steps.findLastIndex(({ optional }, index) => index < step && optional !== true);

/** Returns the values of a report that count people. */
function valuesOf(query: InsightQuery, report: ReportContent): Value[] {
  switch (query.kind) {
    case 'trends':
      if (report.kind !== 'line') return [];
      return report.series.flatMap(({ name, values }) => {
        const line = query.breakdown === undefined ? { metric: name } : { breakdown: [name] };
        return values.map((value, index) => ({
          point: { ...line, bucket: report.buckets[index] },
          value: value ?? 0,
          of: same,
        }));
      });
    case 'funnel': {
      if (report.kind === 'bar') {
        const [bars] = report.series;
        return report.buckets.map((bucket, at) => ({
          point: { bucket },
          value: bars?.values[at] ?? 0,
          of: same,
        }));
      }
      if (report.kind === 'line') {
        return report.series.flatMap(({ name, values }) =>
          values.flatMap((value, index): Value[] => {
            const line = query.breakdown === undefined ? {} : { breakdown: [name] };
            const point = { ...line, bucket: report.buckets[index] };
            if (value === null) return [{ point, value: 0, of: same }];
            const of = (people: number, others: number) => percentage(people, people + others);
            return [{ point, others: { ...point, state: 'dropped' as const }, value, of }];
          }),
        );
      }
      if (report.kind !== 'funnel') return [];
      const lines = [
        { line: {}, counts: report.steps.map(({ count }) => count) },
        ...(report.series ?? []).map(({ name, values }) => ({ line: { breakdown: [name] }, counts: values })),
      ];
      return lines.flatMap(({ line, counts }) =>
        counts.flatMap((count, step) => [
          { point: { ...line, step }, value: count ?? 0, of: same },
          ...(step === 0
            ? []
            : [
                {
                  point: { ...line, step, state: 'dropped' },
                  value: (counts[before(report.steps, step)] ?? 0) - (count ?? 0),
                  of: same,
                },
              ]),
        ]),
      );
    }
    case 'paths':
      if (report.kind !== 'paths') return [];
      return report.levels.flatMap((nodes, step) =>
        nodes.flatMap(({ name, count, ended }) => [
          { point: { step, metric: name }, value: count, of: same },
          ...(ended === undefined
            ? []
            : [{ point: { step, metric: name, state: 'ended' }, value: ended, of: same }]),
        ]),
      );
    case 'retention':
      if (report.kind !== 'grid') return [];
      // With a breakdown, a row may have a person in several intervals, and intervals that are not over.
      if (query.breakdown !== undefined) {
        if (query.mode === 'every') return [];
        return report.rows.map(({ name, size = 0 }) => ({
          point: { breakdown: [name] },
          value: size,
          of: same,
        }));
      }
      return report.rows.flatMap(({ name, size = 0, values }) => [
        { point: { cohortBucket: name }, value: size, of: same },
        ...values.flatMap((value, period) =>
          value === null
            ? []
            : [
                {
                  point: { cohortBucket: name, period },
                  value,
                  of: (people: number) => percentage(people, size),
                },
              ],
        ),
      ]);
    case 'stickiness':
      if (report.kind !== 'bar') return [];
      return report.series.flatMap(({ name, values }) =>
        values.map((value, index) => ({
          point: { metric: name, daysActive: index + 1 },
          value: value ?? 0,
          of: same,
        })),
      );
    case 'lifecycle':
      if (report.kind !== 'bar') return [];
      return report.series.flatMap(({ builtIn, values }) =>
        values.map((value, index) => ({
          point: { bucket: report.buckets[index], state: builtIn },
          value: Math.abs(value ?? 0),
          of: same,
        })),
      );
  }
}

/** Has trends count people, so that each value is a number of people. */
function countingPeople(query: InsightQuery): InsightQuery {
  if (query.kind !== 'trends') return query;
  const { formula: _formula, running: _running, ...plain } = query;
  return {
    ...plain,
    series: query.series.map(({ property: _, ...series }) => ({ ...series, measure: 'people' as const })),
  };
}

describe.each(await enginesForTests())('$name', ({ name, isMissing, start }) => {
  let started: TestEngine;
  beforeAll(async () => {
    if (!isMissing) started = await start();
  });
  afterAll(() => started?.stop());

  test.skipIf(isMissing).each(kindsOfCases)(
    'lists as many people behind each value of %s as the value says',
    async (kind) => {
      const { engine, load, sourceOf } = started;
      const seed = Math.floor(Math.random() * 2 ** 31);
      const cases = fc.sample(casesOf(kind), { numRuns: Number(WANTED ?? CASES[name]), seed });
      await load(cases);
      for (const [index, { query: given, asOf, cohorts }] of cases.entries()) {
        const query = countingPeople(given);
        const inputs = {
          source: { ...sourceOf(index), dialect: engine.dialect, cohorts },
          now: asOf,
          asOf,
          run: engine.query,
          eachPerson: engine.eachPerson,
        };
        const values = valuesOf(query, await resultOf(query, inputs));
        // Values other than 0 first, in any order.
        const chosen = values
          .map((one, at) => ({ one, order: one.value === 0 ? 2 : ((at * 7919) % 101) / 101 }))
          .sort((one, other) => one.order - other.order)
          .slice(0, VALUES);
        for (const { one } of chosen) {
          const about = `seed ${seed}, case ${index}: ${JSON.stringify([one, query])}`;
          const listed = (after: string | null, limit: number, point = one.point) =>
            peopleOf(query, point, { after, limit }, inputs).catch((cause: unknown) => {
              throw new Error(about, { cause });
            });
          const others = one.others === undefined ? [] : await listed(null, 100, one.others);
          const ids = await listed(null, 100);
          expect(new Set(ids).size, about).toBe(ids.length);
          expect(one.of(ids.length, others.length) || 0, about).toBe(one.value);
          const [first = null, second = null] = ids;
          if (second !== null) expect(await listed(first, 1), about).toEqual([second]);
        }
      }
    },
    600_000,
  );

  test.skipIf(isMissing)('names the field of a point that names no value', async () => {
    const { engine, load, sourceOf } = started;
    await load([{ events: [], people: {}, personIds: {} }]);
    const range = { from: '2026-03-01', to: '2026-03-02' };
    const inputs = {
      source: { ...sourceOf(0), dialect: engine.dialect, cohorts: new Map() },
      now: 0,
      asOf: 0,
      run: engine.query,
      eachPerson: engine.eachPerson,
    };
    const ask = (query: InsightQuery, point: Point) =>
      peopleOf(query, point, { after: null, limit: 1 }, inputs);
    const series = [{ event: 'a' }, { event: 'b' }];
    await expect(ask({ kind: 'trends', range, series }, {})).rejects.toThrow(
      'point.metric: must be one of "a", "b"',
    );
    await expect(
      ask({ kind: 'trends', range, series }, { metric: 'a', bucket: '2026-04-01' }),
    ).rejects.toThrow('point.bucket: must be one of "2026-03-01", "2026-03-02"');
    await expect(ask({ kind: 'funnel', range, steps: series }, { step: 2 })).rejects.toThrow(
      'point.step: must be a number from 0 to 1',
    );
    await expect(
      ask({ kind: 'funnel', range, steps: series }, { step: 0, state: 'dropped' }),
    ).rejects.toThrow('point.step: must be a number from 1 to 1');
    await expect(ask({ kind: 'lifecycle', range }, { bucket: '2026-03-01', state: 'gone' })).rejects.toThrow(
      'point.state: must be one of "new", "returning", "resurrecting", "dormant"',
    );
    await expect(ask({ kind: 'stickiness', range, series }, { metric: 'a' })).rejects.toThrow(
      'point.daysActive: must be a number from 1 to 2',
    );
  });
});
