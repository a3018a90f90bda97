import { openDatabase } from '@switchboard/database';
import { testDatabase } from '@switchboard/testkit';
import { afterAll, expect, it } from 'vitest';
import { flagsMigrations } from '../schema/migrations.ts';
import { createUsageStore } from '../usage/store.ts';
import { createErasure } from './erasure.ts';

const test = await testDatabase({ migrations: [flagsMigrations] });
const database = openDatabase({ url: test.url, applicationName: 'test' });
afterAll(async () => {
  await database.close();
  await test.drop();
});

const erasure = createErasure({ database, onChanged: () => undefined });
const erase = (distinctIds: string[]) =>
  erasure.erasePerson?.(
    { kind: 'person', projectId: 'shop', distinctIds, userId: null },
    new AbortController().signal,
  );

/** Stores a person with joined ids. */
async function addPerson(personId: string, joined: string[]): Promise<void> {
  const ids = [personId, ...joined];
  await database.sql`insert into persons (project_id, person_id, ids, seen_on)
    values ('shop', ${personId}, ${ids}, '2026-03-01')`;
  await database.sql`insert into identities (project_id, distinct_id, claimed_at, claimed_by, person_id)
    select 'shop', id, 1, nullif(${personId}, id), ${personId} from unnest(${ids}::text[]) as ids(id)`;
}

const left = async () =>
  (await database.sql`select distinct_id from identities order by 1`).map((row) => row['distinct_id']);

it('erases nothing of a person until the erasure has all of their ids', async () => {
  await addPerson('ada', ['phone', 'laptop']);
  await addPerson('grace', ['tablet']);
  expect(await erase(['phone'])).toEqual(['ada', 'laptop']);
  expect(await left()).toEqual(['ada', 'grace', 'laptop', 'phone', 'tablet']);
  expect(await erase(['phone', 'ada', 'laptop'])).toEqual([]);
  expect(await left()).toEqual(['grace', 'tablet']);
});

it('leaves out the other ids of a person who would take an erasure past 1,000 ids', async () => {
  const many = Array.from({ length: 999 }, (_, index) => `many-${index}`);
  await addPerson('mei', many);
  expect(await erase(['mei'])).toHaveLength(999);
  expect(await erase(['mei', 'grace'])).toEqual(['tablet']);
  expect(await erase(['mei', 'grace', 'tablet'])).toEqual([]);
  expect(await left()).toEqual(many.toSorted());
});

it('erases the usage of a deleted project with its flags, and that of no other project', async () => {
  const usage = createUsageStore(database.drizzle);
  const at = new Date('2026-03-01T09:30:00.000Z');
  const projects = ['gone', 'kept'];
  for (const projectId of projects) {
    await database.sql`insert into flags values (${projectId}, 'a', '{"key":"a"}')`;
    await usage.add(at, [{ projectId, key: 'a', variation: 'on', count: 1 }]);
  }
  await erasure.eraseProject?.('gone', new AbortController().signal);
  for (const table of ['usage_hours', 'usage_days', 'usage_seen'])
    expect(await database.sql`select project_id from ${database.sql(table)}`).toEqual([
      { project_id: 'kept' },
    ]);
});
