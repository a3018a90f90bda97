import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { createGroupMembersStore } from '../group-members/store.ts';
import { createPeopleListStore } from '../people-list/store.ts';
import { useDatabase } from '../testing/database.ts';
import { createGroups, type GroupsQuery } from './groups.ts';
import { createGroupsStore } from './store.ts';

const { database } = await useDatabase();
const PEOPLE = 20_000;
const PAGE = 50;

beforeAll(async () => {
  // Everyone is in one company of twelve thousand, and in one of two regions.
  await database.drizzle.execute(sql`
    insert into people (project_id, distinct_id, groups, group_stamps)
    select 'shop', 'user-' || i, json_build_object('company', 'c' || i % 12000, 'region', 'r' || i % 2),
      json_build_object('company', json_build_array(1767225600000, 1767225600000, i),
        'region', json_build_array(1767225600000, 1767225600000, i)) from generate_series(1, ${PEOPLE}) as i`);
  await database.drizzle.execute(sql`
    insert into groups (project_id, type, id, traits)
    select 'shop', 'company', 'c' || i, json_build_object('name', 'Name ' || i)
    from generate_series(0, 11999) as i`);
  const counting = createGroupMembersStore(database.drizzle);
  while ((await counting.countChanged(2_000)) > 0);
  await database.drizzle.execute(sql`analyze`);
});

/** Returns what a page has, and the rows read to find it. */
async function counted<T>(read: (db: typeof database.drizzle) => Promise<string>) {
  return database.drizzle.transaction(async (tx) => {
    const rowsRead = async () => {
      const [row] = await tx.execute<{ rows: number | bigint }>(sql`
        select sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) as rows from pg_stat_xact_user_tables
        where relname in ('known_groups', 'group_members', 'groups', 'seen_people', 'people', 'person_ids')`);
      return Number(row?.rows);
    };
    const before = await rowsRead();
    const page = JSON.parse(await read(tx as unknown as typeof database.drizzle)) as T;
    return { page, rows: (await rowsRead()) - before };
  });
}

const groupsOf = (db: typeof database.drizzle) =>
  createGroups({ store: createGroupsStore(db), people: createPeopleListStore(db) });
const list = (query: Partial<GroupsQuery>) =>
  counted<{ groups: { id: string; members: number }[] }>((db) =>
    groupsOf(db).list('shop', { sort: 'last_seen', limit: PAGE, ...query }),
  );

describe('a page of a list of groups', () => {
  it.each([{ sort: 'last_seen' }, { sort: 'members' }, { type: 'company' }] as const)(
    'reads two rows for each group of %j',
    async (query) => {
      const { page, rows } = await list(query);
      expect(page.groups).toHaveLength(PAGE);
      expect(rows).toBeLessThanOrEqual(2 * (PAGE + 1));
    },
  );

  it('has the groups with most members first', async () => {
    const { page } = await list({ sort: 'members' });
    expect(page.groups.slice(0, 3).map(({ members }) => members)).toEqual([10_000, 10_000, 2]);
  });

  it.each(['c314', 'name 314'])('reads only the groups that the search %s finds', async (search) => {
    const { page, rows } = await list({ search });
    expect(page.groups).toHaveLength(11);
    expect(rows).toBeLessThanOrEqual(4 * 11);
  });

  it('walks the list where a search finds more than ten thousand groups', async () => {
    const { page, rows } = await list({ search: 'c' });
    expect(page.groups).toHaveLength(PAGE);
    expect(rows).toBeLessThanOrEqual(10_001 + 3 * PAGE);
  });
});

describe('a page of the members of a group', () => {
  it('reads four rows for each member', async () => {
    const { page, rows } = await counted<{ people: object[]; members: number }>((db) =>
      groupsOf(db).find('shop', { type: 'region', id: 'r1' }, { cursor: undefined, limit: PAGE }),
    );
    expect(page.people).toHaveLength(PAGE);
    expect(page.members).toBe(10_000);
    expect(rows).toBeLessThanOrEqual(4 * (PAGE + 1));
  });
});
