import { insightClause } from '@switchboard/contracts';
import { matchesClauses } from '@switchboard/flag-engine';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { sql, text, texts } from '../engine/sql.ts';
import { startEngine } from '../testing/table.ts';
import { fulfils, partOf } from './clauses.ts';

let started: Awaited<ReturnType<typeof startEngine>>;
beforeAll(async () => {
  started = await startEngine();
});
afterAll(() => started.stop());

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

test('clauses match what they match in flags', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const attributes = fc.sample(values, { numRuns: 100, seed });
  const properties = [...attributes.map((value) => ({ 'a/b~"': value })), {}].map((one) =>
    JSON.stringify(one),
  );
  await started.engine.query(sql`create table people as
    select row_number() over () as id, properties from (select unnest(${texts(properties)}) as properties)`);
  const clauses = fc.sample(
    fc.record({ op: operators, value: fc.oneof(values, fc.constantFrom(...attributes)) }),
    {
      numRuns: 100,
      seed,
    },
  );
  for (const { op, value } of clauses) {
    const clause = insightClause.parse({ attribute: 'x', op, value });
    const rows = await started.engine.query(sql`
      select id::integer as id, ${fulfils(clause, sql`x`)} as matches
      from (select id, ${partOf(sql`properties`, 'a/b~"')} as x from people) order by id`);
    const found = z.array(z.object({ id: z.number(), matches: z.boolean() })).parse(rows);
    for (const { id, matches } of found) {
      const traits = { x: JSON.parse(properties[id - 1] ?? '{}')['a/b~"'] };
      const expected = matchesClauses([clause], { distinctId: '', traits, cohorts: new Set() });
      expect(matches, `seed ${seed}: ${JSON.stringify(clause)} of ${properties[id - 1]}`).toBe(expected);
    }
  }
}, 60_000);

test('a property with half a surrogate pair leaves the others of its event unread, not the question', async () => {
  const rows = await started.engine.query(
    sql`select try(${partOf(sql`${text('{"a":"\\ud800"}')}`, 'a')}) is null as gone`,
  );
  expect(rows).toEqual([{ gone: true }]);
});
