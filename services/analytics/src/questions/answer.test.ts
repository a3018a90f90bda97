import { reportContent } from '@switchboard/contracts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../engine/sql.ts';
import { casesOf, kindsOfQuestions } from '../testing/generated.ts';
import { reference } from '../testing/reference.ts';
import { relationOf, startEngine } from '../testing/table.ts';
import { answer } from './answer.ts';

const CASES = 25;

let started: Awaited<ReturnType<typeof startEngine>>;
beforeAll(async () => {
  started = await startEngine();
});
afterAll(() => started.stop());

test.each(kindsOfQuestions)(
  '%s: the engine answers as the plain reference does',
  async (kind) => {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const cases = fc.sample(casesOf(kind), { numRuns: CASES, seed });
    // One table for all: each case is a project.
    const events = cases.flatMap(({ events: own }, index) =>
      own.map((event) => ({ ...event, project: `p${index}` })),
    );
    await started.engine.query(sql`create or replace table cases as select * from ${relationOf(events)}`);
    for (const [index, { question, asOf, events: own }] of cases.entries()) {
      const report = await answer(question, {
        source: { projectId: `p${index}`, events: sql`cases` },
        now: asOf,
        asOf,
        query: (query) => started.engine.query(query),
      });
      const about = `seed ${seed}, case ${index}: ${JSON.stringify(question)}`;
      expect(reportContent.safeParse(report).error?.issues, about).toBeUndefined();
      const expected = comparable(reference(question, { events: own, now: asOf, asOf }));
      expect(comparable(report), about).toMatchObject(expected);
    }
  },
  120_000,
);

/** Sums of fractions depend on their order, and equal names are numbered. */
function comparable(value: unknown): object {
  const text = JSON.stringify(value).replaceAll(/ \(\d\)"/g, '"');
  return JSON.parse(text, (_name, part: unknown) =>
    typeof part === 'number' ? Math.round(part * 1e6) / 1e6 + 0 : part,
  );
}
