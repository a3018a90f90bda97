import { type Database, openDatabase } from '@switchboard/database';
import { eventually, type TestDatabase, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { flagsMigrations } from '../schema/migrations.ts';
import { createStateChanges, type StateChanges } from './changes.ts';

let test: TestDatabase;
let database: Database;
let changes: StateChanges;
beforeAll(async () => {
  test = await testDatabase({ migrations: [flagsMigrations] });
  database = openDatabase({ url: test.url, applicationName: 'test' });
  changes = createStateChanges({ database });
  await changes.start();
  const { sql } = database;
  await sql`insert into people (project_id, distinct_id, traits, groups)
    select 'p', 'person ' || n, '{"n":1}', '{"company":"acme"}' from generate_series(1, 1000) as n`;
  await sql`insert into groups (project_id, type, id, traits) values ('p', 'company', 'acme', '{"seats":1}')`;
  await sql`insert into cohort_people (project_id, cohort_id, distinct_id) values ('p', 'beta', 'person 9')`;
  await heard();
});
afterAll(async () => {
  await changes.stop();
  await database.close();
  await test.drop();
});

/** Waits until everything announced so far has arrived. */
async function heard(): Promise<void> {
  const mark = changes.watch('mark', 'mark');
  await database.sql`insert into people (project_id, distinct_id) values ('mark', 'mark')`;
  await database.sql`delete from people where project_id = 'mark'`;
  await eventually(() => expect(changes.holds(mark, false)).toBe(false));
}

describe('watched state', () => {
  // `holds` is for person 1 with groups, person 1 without groups, person 2 with groups, and a person of another
  // project with groups.
  it.each<[what: string, statement: string, holds: boolean[]]>([
    [
      'traits of a person',
      `update people set traits = '{"n":2}' where distinct_id = 'person 1'`,
      [false, false, true, true],
    ],
    ['a trait set to what it is', `update people set traits = traits`, [true, true, true, true]],
    ['the day a person was seen', `update people set seen_on = '2030-01-01'`, [true, true, true, true]],
    [
      'the groups of a person',
      `update people set groups = '{}' where distinct_id = 'person 1'`,
      [false, false, true, true],
    ],
    ['everybody', `update people set traits = '{"n":3}'`, [false, false, false, true]],
    ['traits of a group', `update groups set traits = '{"seats":2}'`, [false, true, false, true]],
    ['traits of a group set to what they are', `update groups set traits = traits`, [true, true, true, true]],
    ['a group that is removed', `delete from groups where id = 'acme'`, [false, true, false, true]],
    [
      'a person added to a cohort',
      `insert into cohort_people (project_id, cohort_id, distinct_id) values ('p', 'beta', 'person 1')`,
      [false, false, true, true],
    ],
    [
      'a person removed from a cohort',
      `delete from cohort_people where distinct_id = 'person 1'`,
      [false, false, true, true],
    ],
    [
      'a person who is erased',
      `delete from people where distinct_id = 'person 1'`,
      [false, false, true, true],
    ],
    [
      'a person who is new',
      `insert into people (project_id, distinct_id, traits) values ('p', 'person 1', '{"n":1}')`,
      [false, false, true, true],
    ],
  ])('ends only the affected watches on a change of %s', async (_, statement, holds) => {
    const one = changes.watch('p', 'person 1');
    const two = changes.watch('p', 'person 2');
    const other = changes.watch('q', 'person 1');
    await database.sql.unsafe(statement);
    await heard();
    expect([
      changes.holds(one, true),
      changes.holds(one, false),
      changes.holds(two, true),
      changes.holds(other, true),
    ]).toEqual(holds);
  });

  it('holds a watch until the transaction that changes its person ends', async () => {
    const watch = changes.watch('p', 'person 3');
    await database.sql.begin(async (tx) => {
      await tx`update people set traits = '{"n":4}' where distinct_id = 'person 3'`;
      await heard();
      expect(changes.holds(watch, true)).toBe(true);
    });
    await heard();
    expect(changes.holds(watch, true)).toBe(false);
  });

  it('calls once at the next change of a person', async () => {
    const called: string[] = [];
    changes.onNextChange('p', 'person 3', () => called.push('person 3'));
    changes.onNextChange('p', 'person 4', () => called.push('person 4'));
    for (const n of [10, 11])
      await database.sql`
        update people set traits = ${JSON.stringify({ n })}::text::json where distinct_id = 'person 3'`;
    await heard();
    expect(called).toEqual(['person 3']);
  });

  it('ends the watches of a project after this process changes its cohorts', () => {
    const [own, other] = [changes.watch('p', 'person 4'), changes.watch('q', 'person 4')];
    changes.invalidate('p');
    expect([own, other].map((watch) => changes.holds(watch, false))).toEqual([false, true]);
    expect(changes.holds(changes.watch('p', 'person 4'), false)).toBe(true);
  });

  it('treats a watch as changed when announcements may have been lost', async () => {
    const watch = changes.watch('p', 'person 5');
    const listeners = await database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like '% listen'`;
    expect(listeners.length).toBeGreaterThan(0);
    await eventually(() => expect(changes.holds(watch, false)).toBe(false));
    await eventually(heard);
  });

  it('treats a watch as changed after ten minutes', () => {
    const watch = changes.watch('p', 'person 6');
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now + 590_000);
    expect(changes.holds(watch, false)).toBe(true);
    clock.mockReturnValue(now + 610_000);
    expect(changes.holds(watch, false)).toBe(false);
    clock.mockRestore();
  });

  it('treats a watch as changed when too many others exist', () => {
    const watch = changes.watch('p', 'person 7');
    for (let other = 0; other < 200_000; other++) changes.watch('p', `other ${other}`);
    expect(changes.holds(watch, false)).toBe(false);
  });
});
