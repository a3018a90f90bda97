import type { Tx } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCohortMembersStore } from '../cohort-members/store.ts';
import { createPeopleStore } from '../people/store.ts';
import { useDatabase } from '../testing/database.ts';
import { createListPeople, type PeopleQuery } from './people-list.ts';
import { createPeopleListStore } from './store.ts';

const { database } = await useDatabase();
const PEOPLE = 60_000;
const PAGE = 50;

beforeAll(async () => {
  // A hundred people a minute. Every thousandth is on the plan pro.
  await database.drizzle.execute(sql`
    insert into seen_people (project_id, distinct_id, first_seen_at, last_seen_at)
    select 'shop', 'user-' || i, timestamptz '2025-01-01Z' + i / 100 * interval '1 minute',
      timestamptz '2026-01-01Z' + i / 100 * interval '1 minute' from generate_series(1, ${PEOPLE}) as i`);
  await database.drizzle.execute(sql`
    insert into people (project_id, distinct_id, traits)
    select 'shop', 'user-' || i, json_build_object('name', 'Name ' || i, 'email', i || '@example.com',
      'plan', case when i % 1000 = 0 then 'pro' else 'free' end) from generate_series(1, ${PEOPLE}) as i`);
  await database.drizzle.execute(
    sql`insert into cohorts values ('shop', 'named', '[]', ${'{user-7,user-70}'}, false)`,
  );
  const did = JSON.stringify([{ event: 'order placed', count: { gte: 1 }, within: { days: 30 } }]);
  await database.drizzle.execute(sql`
    insert into cohort_lists (project_id, cohort_id, did, combine, list, due_at)
    values ('shop', 'active', ${did}, 'all', '{"computedAt":null,"size":2}', now())`);
  await database.drizzle.execute(sql`insert into cohorts values ('shop', 'active', '[]', '{}', false)`);
  await database.drizzle.execute(sql`
    insert into cohort_parts values ('shop', 'active', '', '["user-59990", "user-59999"]', '')`);
  // The ids of a person are on one page.
  await database.drizzle.execute(sql`
    insert into seen_people (project_id, distinct_id, first_seen_at, last_seen_at)
    select 'blog', 'id-' || i, timestamptz '2025-01-01Z' + i * interval '1 second',
      timestamptz '2026-01-01Z' + i * interval '1 second' from generate_series(1, 1000) as i`);
  await database.drizzle.execute(sql`
    insert into person_ids (project_id, distinct_id, person_id, joined_at, joined_by)
    select 'blog', 'id-' || i, 'id-1', now(), '{"kind":"identify"}' from generate_series(2, 1000) as i`);
  await database.drizzle.execute(sql`analyze`);
});

async function rowsRead(tx: Tx): Promise<number> {
  const [row] = await tx.execute<{ rows: number | bigint }>(sql`
    select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_xact_user_tables
    where relname in ('seen_people', 'people', 'person_ids')`);
  return Number(row?.rows);
}

/** Returns the ids and the number of people of a page, and the rows read to find them. */
async function pageOf(
  query: Partial<PeopleQuery>,
  project = 'shop',
): Promise<{ ids: string[]; people: number; rows: number }> {
  return database.drizzle.transaction(async (tx) => {
    const before = await rowsRead(tx);
    const db = tx as unknown as typeof database.drizzle;
    const list = createListPeople({
      store: createPeopleListStore(db),
      people: createPeopleStore(db),
      lists: createCohortMembersStore(db),
    });
    const page = JSON.parse(await list(project, { sort: 'last_seen', limit: PAGE, ...query }));
    const ids = page.people.map(({ distinctId }: { distinctId: string }) => distinctId);
    return { ids, people: page.people.length, rows: (await rowsRead(tx)) - before };
  });
}

describe('a page of a list of people', () => {
  it.each(['last_seen', 'first_seen'] as const)(
    'reads three rows for each person, sorted by %s',
    async (sort) => {
      const { people, rows } = await pageOf({ sort });
      expect(people).toBe(PAGE);
      expect(rows).toBeLessThanOrEqual(3 * (PAGE + 1));
    },
  );

  it.each(['user-3141', 'name 3141', '3141@example'])(
    'reads only the people whom the search %s finds',
    async (search) => {
      const { people, rows } = await pageOf({ search });
      expect(people).toBeGreaterThan(0);
      expect(rows).toBeLessThanOrEqual(4 * people);
    },
  );

  it('walks the list where a search finds more than ten thousand people', async () => {
    const { people, rows } = await pageOf({ search: 'user-' });
    expect(people).toBe(PAGE);
    expect(rows).toBeLessThanOrEqual(10_001 + 4 * 500);
  });

  it('reads the 1,000 ids of a person once for each page of ids, not once for each id', async () => {
    const { people, rows } = await pageOf({}, 'blog');
    expect(people).toBe(1);
    expect(rows).toBeLessThanOrEqual(50_000);
  });

  it('pages through the known ids of a project without reading the others', async () => {
    const rows = await database.drizzle.transaction(async (tx) => {
      const before = await rowsRead(tx);
      const ids = await createCohortMembersStore(tx).knownIds('shop', 'user-3', PAGE);
      expect(ids.slice(0, 2)).toEqual(['user-30', 'user-300']);
      return (await rowsRead(tx)) - before;
    });
    expect(rows).toBeLessThanOrEqual(PAGE + 1);
  });

  it('reads only the members of a cohort without clauses', async () => {
    const { people, rows } = await pageOf({ cohort: 'named' });
    expect(people).toBe(2);
    expect(rows).toBeLessThanOrEqual(3 * people);
  });

  it('lists the members of a computed cohort, and reads at most 1,000 people', async () => {
    const { ids, rows } = await pageOf({ cohort: 'active' });
    expect(ids).toEqual(['user-59999', 'user-59990']);
    expect(rows).toBeLessThanOrEqual(3 * 1_000);
    const where = [{ attribute: 'x', op: 'in_cohort' as const, value: 'active' }];
    expect((await pageOf({ where })).ids).toEqual(ids);
    const others = await pageOf({ where: [{ attribute: 'x', op: 'not_in_cohort', value: 'active' }] });
    expect(others.people).toBe(PAGE);
    expect(others.ids).not.toContain('user-59999');
  });

  it('reads at most 5,000 people for clauses that few match', async () => {
    const { people, rows } = await pageOf({ where: [{ attribute: 'plan', op: 'eq', value: 'pro' }] });
    expect(people).toBe(5);
    expect(rows).toBeLessThanOrEqual(3 * 5_000);
  });
});
