import { reportContent } from '@switchboard/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { casesOf, kindsOfCases } from '../testing/arbitraries.ts';
import { comparable, reference } from '../testing/reference.ts';
import { enginesForTests, type TestEngine } from '../testing/table.ts';
import { resultOf } from './result.ts';

/**
 * The number of cases per kind. Set `INSIGHT_CASES=2000` for more. ClickHouse takes ten times as long to plan a
 * query.
 */
const CASES = { DuckDB: 60, ClickHouse: 10 } as const;
const WANTED = process.env['INSIGHT_CASES'];

describe.each(await enginesForTests())('$name', ({ name, isMissing, start }) => {
  let started: TestEngine;
  beforeAll(async () => {
    if (!isMissing) started = await start();
  });
  afterAll(() => started?.stop());

  test.skipIf(isMissing).each(kindsOfCases)(
    'answers %s as the plain reference does',
    async (kind) => {
      const { engine, load, sourceOf } = started;
      const seed = Math.floor(Math.random() * 2 ** 31);
      const cases = fc.sample(casesOf(kind), { numRuns: Number(WANTED ?? CASES[name]), seed });
      await load(cases);
      for (const [index, { query, asOf, events, people, cohorts }] of cases.entries()) {
        const about = `seed ${seed}, case ${index}: ${JSON.stringify([query, people, [...cohorts]])}`;
        const report = await resultOf(query, {
          source: { ...sourceOf(index), dialect: engine.dialect, cohorts },
          now: asOf,
          asOf,
          run: engine.query,
          eachPerson: engine.eachPerson,
        }).catch((cause: unknown) => {
          throw new Error(about, { cause });
        });
        expect(reportContent.safeParse(report).error?.issues, about).toBeUndefined();
        const expected = comparable(reference(query, { events, now: asOf, asOf }));
        expect(comparable(report), about).toMatchObject(expected);
      }
    },
    600_000,
  );
});
