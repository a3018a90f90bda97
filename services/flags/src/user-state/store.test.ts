import { type Database, openDatabase } from '@switchboard/database';
import { type TestDatabase, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { flagsMigrations } from '../schema/migrations.ts';
import { createUserStateStore, withGenericPlans } from './store.ts';
import { EMPTY_STATE, hasGroups, parseUserState } from './user-state.ts';

const PEOPLE = 20_000;

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await testDatabase({ migrations: [flagsMigrations] });
  database = openDatabase({
    url: withGenericPlans(test.url),
    applicationName: 'test',
    statementTimeoutMs: 60_000,
  });
  const { sql } = database;
  await sql`insert into people (project_id, distinct_id, traits, groups)
    select 'p' || n % 10, 'person ' || n, json_build_object('n', n), json_build_object('company', n % 100)
    from generate_series(1, ${PEOPLE}::int) as n`;
  await sql`insert into groups (project_id, type, id, traits)
    select 'p' || n % 10, 'company', n / 10, json_build_object('seats', n) from generate_series(0, 9999) as n`;
  await sql`insert into cohorts (project_id, id, name)
    select 'p' || n % 10, n, n from generate_series(0, 99) as n`;
  await sql`insert into cohort_people (project_id, distinct_id, cohort_id)
    select project_id, 'person ' || n, id from cohorts, generate_series(1, 500) as n`;
  await sql`insert into cohort_members (project_id, distinct_id, cohort_id)
    select 'p1', 'person ' || n, '91' from generate_series(19001, 29000) as n`;
  await sql`insert into identities (project_id, distinct_id, is_known, person_id)
    select 'p' || n % 10, 'person ' || n, true, case when n > 19500 then 'person ' || (n / 100 * 100 + n % 10) end
    from generate_series(1, ${PEOPLE}::int) as n`;
  await sql`insert into persons (project_id, person_id, ids, traits, groups, seen_on)
    select project_id, person_id, array_agg(distinct_id) || array['person 3'], '{"folded":true}', '{"company":7}', now()
    from identities where person_id is not null group by 1, 2`;
  await sql`analyze`;
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Plan[];
}

function* nodesOf(plan: Plan): Generator<Plan> {
  yield plan;
  for (const child of plan.Plans ?? []) yield* nodesOf(child);
}

describe('the state of people', () => {
  it('returns traits, group traits and the cohorts that list a person, in the requested order', async () => {
    const ids = ['nobody', 'person 2', 'person 19001'];
    const texts = await createUserStateStore(database).findStates(
      ids.map((distinctId) => ({ projectId: 'p1', distinctId })),
    );
    const [nobody, named, known] = texts.map(parseUserState);
    expect(nobody).toEqual({ traits: {}, groups: {}, cohorts: [], did: [] });
    expect(named).toMatchObject({ traits: {}, groups: {} });
    expect(named?.cohorts).toHaveLength(10);
    expect(known).toEqual({
      traits: { n: 19001 },
      groups: { company: { seats: 11 } },
      cohorts: [],
      did: ['91'],
    });
    expect(texts[0]).toBe(EMPTY_STATE);
    expect(texts.map(hasGroups)).toEqual([false, false, true]);
  });

  it('returns the folded traits and groups of a person with several ids, and the cohorts that list any of them', async () => {
    const ids = ['person 19501', 'person 19511'];
    const texts = await createUserStateStore(database).findStates(
      ids.map((distinctId) => ({ projectId: 'p1', distinctId })),
    );
    const [first, second] = texts.map(parseUserState);
    expect(first).toMatchObject({ traits: { folded: true }, groups: { company: { seats: 71 } } });
    expect(first?.cohorts).toHaveLength(10);
    expect(second).toEqual(first);
  });

  it('reads the state of people with a generic plan', async () => {
    const [setting] = await database.sql`show plan_cache_mode`;
    expect(setting).toEqual({ plan_cache_mode: 'force_generic_plan' });
  });

  it('reads the state of people with one query that touches only the rows of each person', async () => {
    const keys = [1, 19_001, 19_011].map((n) => ({ projectId: 'p1', distinctId: `person ${n}` }));
    const queries: { text: string; parameters: unknown[] }[] = [];
    const recording = (parts: TemplateStringsArray, ...parameters: unknown[]) => {
      const text = parts.reduce((all, part, index) => `${all}$${index}${part}`);
      queries.push({ text, parameters });
      return Promise.resolve([]);
    };
    const sql = recording as unknown as Database['sql'];
    await createUserStateStore({ sql }).findStates(keys);
    expect(queries).toHaveLength(1);
    const [query] = queries;
    const [{ 'QUERY PLAN': plans }] = (await database.sql.unsafe(
      `explain (analyze, format json) ${query?.text}`,
      query?.parameters as string[],
    )) as unknown as [{ 'QUERY PLAN': [{ Plan: Plan }] }];
    const scans = [...nodesOf(plans[0].Plan)].filter((node) => node['Relation Name'] !== undefined);
    const rows = scans.reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
    expect(scans.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    // Three people and their identities, one group each, the ten cohorts that list the first person, and the one
    // that has computed the two others.
    expect(Math.round(rows)).toBe(3 + 3 + 3 + 10 + 2);
  });
});
