import { type Database, openDatabase } from '@switchboard/database';
import { type TestDatabase, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { flagsMigrations } from '../schema/migrations.ts';
import { createRulesets, type Rulesets } from './rulesets.ts';

const PROJECTS = 30;
const MEBIBYTE = 1024 * 1024;
const ids = Array.from({ length: PROJECTS }, (_, project) => `p${project}`);

let test: TestDatabase;
let database: Database;
let queries = 0;
beforeAll(async () => {
  test = await testDatabase({ migrations: [flagsMigrations] });
  database = openDatabase({
    url: test.url,
    applicationName: 'test',
    measure: () => {
      queries++;
      return () => undefined;
    },
  });
  const { sql } = database;
  await sql`insert into rulesets (project_id, changed_at, documented_at, document)
    select id, at, at, '{"flags":[{"key":"flag of ' || id || '"}],"cohorts":[]}'
    from unnest(${ids}::text[]) with ordinality as project(id, number),
      lateral (select timestamptz '2026-01-01T00:00:00Z' + number * interval '1 s' as at) as change`;
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

let rulesets: Rulesets;
beforeEach(() => {
  rulesets = createRulesets({ database, maxTextBytes: MEBIBYTE, maxCompiledBytes: 10 * MEBIBYTE });
  queries = 0;
});

describe('rulesets that are not in memory', () => {
  it('reads projects that are requested together with few queries, and gives each its own flags', async () => {
    const mixed = [...ids, 'no flags', ...ids].toReversed();
    const read = await Promise.all(mixed.map((id) => rulesets.get(id)));
    expect(queries).toBe(2);
    for (const [index, { changedAt, compiled }] of read.entries()) {
      const id = mixed[index] ?? '';
      expect(compiled.flags.map(({ key }) => key)).toEqual(id === 'no flags' ? [] : [`flag of ${id}`]);
      const second = id === 'no flags' ? 0 : Number(id.slice(1)) + 1;
      expect(new Date(changedAt).getTime() % 60_000).toBe(1000 * second);
    }
  });
});
