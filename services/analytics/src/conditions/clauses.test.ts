import { exactJson, insightClause } from '@switchboard/contracts';
import { matchesClauses } from '@switchboard/flag-engine';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { COMMA, integer, join, sql, text } from '../engine/sql.ts';
import { enginesForTests, type TestEngine } from '../testing/table.ts';
import { clausesIn } from './clauses.ts';

const scalars = fc.oneof(
  fc.constantFrom<unknown>(
    'pro',
    'free',
    '12',
    12,
    '12.0',
    12.5,
    true,
    'true',
    false,
    'false',
    null,
    0,
    '',
    -1,
  ),
  fc.constantFrom<unknown>(
    '007',
    ' 12',
    '1e400',
    '1e3',
    1000,
    1e21,
    '-0',
    2 ** 53 + 2,
    '9007199254740993',
    '9007199254740994',
    'NaN',
  ),
  fc.constantFrom<unknown>(
    '1.2.3',
    '1.2.3-rc.1',
    '1.2.3-rc.1.1',
    '1.10.0',
    '1.2.3+b',
    '01.2.3',
    '1.2.3-alpha',
    '1.2.3-2',
  ),
  fc.constantFrom<unknown>(
    '2026-03-01',
    '2026-03-01T02:00:00+02:00',
    '2026-03-01T02:00:00+0200',
    '2026-02-29',
    '2024-02-29',
    '2026-03-01T00:00Z',
  ),
  fc.constantFrom<unknown>(
    '0000-02-29',
    '2026-03-01T00:00:00.0005Z',
    '2026-03-01T23:59:60Z',
    '2026-03-01T10:00',
  ),
  fc.constantFrom<unknown>('naïve', 'NAÏVE', '👩‍🚀', "it's", '"', '\\', 'a\nb', 'p', 'r'),
);
const values = fc.oneof(scalars, fc.array(scalars, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }));
const operators = fc.constantFrom(
  ...(['eq', 'neq', 'in', 'not_in', 'contains', 'gt', 'gte', 'lt', 'lte', 'is_set', 'is_not_set'] as const),
);

/** The number of clauses in one query. */
const AT_ONCE = 20;
const ATTRIBUTES = 100;
const CLAUSES = Number(process.env['INSIGHT_CASES'] ?? 60);

describe.each(await enginesForTests())('$name', ({ name, isMissing, start }) => {
  let started: TestEngine;
  beforeAll(async () => {
    if (!isMissing) started = await start();
  });
  afterAll(() => started?.stop());

  test.skipIf(isMissing)(
    'matches a clause exactly where the flag engine does',
    async () => {
      const { dialect, query } = started.engine;
      const fulfils = clausesIn(dialect);
      const seed = Math.floor(Math.random() * 2 ** 31);
      // ClickHouse reads integers of more than 64 bits as text.
      const isRead = (value: unknown) => name === 'DuckDB' || !/[0-9]{19}/.test(JSON.stringify(value));
      const readable = values.filter(isRead);
      const attributes = fc.sample(readable, { numRuns: ATTRIBUTES, seed });
      const properties = [...attributes.map((value) => ({ 'a/b~"': value })), {}];
      const people = properties.map((traits, index) => [String(index), { traits, groups: {} }] as const);
      await started.load([{ events: [], people: Object.fromEntries(people), personIds: {} }]);
      const wanted = fc
        .oneof(readable, fc.constantFrom(...attributes))
        .filter((value) => exactJson.safeParse(value).success);
      const clauses = fc
        .sample(fc.record({ op: operators, value: wanted }), { numRuns: CLAUSES, seed })
        .map((clause) => insightClause.parse({ attribute: 'x', ...clause }));
      for (let from = 0; from < clauses.length; from += AT_ONCE) {
        const asked = clauses.slice(from, from + AT_ONCE);
        const places = asked.map(
          (clause, index) => sql`case when ${fulfils(clause, sql`x`)} then ${integer(index)} end`,
        );
        const rows = await query(sql`
        select id, [${join(places, COMMA)}] as matching
        from (select distinct_id as id, ${dialect.propertyOf(sql`traits`, 'a/b~"')} as x from ${started.sourceOf(0).people}) as known`);
        const list = z.array(z.number().nullable());
        const items = z.object({ items: list }).transform((found) => found.items);
        const found = z.array(z.object({ id: z.string(), matching: list.or(items) })).parse(numbersIn(rows));
        expect(found).toHaveLength(properties.length);
        for (const { id, matching } of found) {
          const traits = { x: JSON.parse(JSON.stringify(properties[Number(id)]))['a/b~"'] };
          for (const [index, clause] of asked.entries()) {
            const expected = matchesClauses([clause], { distinctId: '', traits, cohorts: new Set() });
            const about = `seed ${seed}: ${JSON.stringify(clause)} of ${JSON.stringify(traits.x)}`;
            expect(matching[index] === index, about).toBe(expected);
          }
        }
      }
    },
    600_000,
  );

  test.skipIf(isMissing)('answers a query despite properties with half a surrogate pair', async () => {
    const { dialect, query } = started.engine;
    const document = sql`${text('{"a":"\\ud800","b":1}')}`;
    const rows = await query(sql`
      select case when ${dialect.isSet(dialect.propertyOf(document, 'b'))} then 'read' else 'unread' end as state`);
    expect(rows).toEqual([{ state: 'unread' }]);
  });
});

/** Converts DuckDB's bigints to numbers. */
function numbersIn(rows: unknown): unknown {
  return JSON.parse(JSON.stringify(rows, (_name, part) => (typeof part === 'bigint' ? Number(part) : part)));
}
