import { type Database, openDatabase } from '@switchboard/database';
import { eventually, type TestDatabase, testDatabase } from '@switchboard/testkit';
import {
  applyChanges,
  createJoinsStore,
  createStateStore,
  eraseIds,
  executeOn,
  JoinConflict,
  joinPersons,
  partIds,
  readPerson,
  removeDecider,
  unseenPersons,
} from '@switchboard/user-state';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { personRepublication } from '../person-records/store.ts';
import { flagsMigrations } from '../schema/migrations.ts';

let test: TestDatabase;
let database: Database;
beforeAll(async () => {
  test = await testDatabase({ migrations: [flagsMigrations] });
  database = openDatabase({ url: test.url, applicationName: 'test', poolSize: 8 });
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

interface Call {
  id: string;
  anonymousId?: string | undefined;
  at: number;
  traits: Record<string, unknown>;
  offset: number;
}

interface Decision {
  kind: 'join' | 'part';
  of: string;
  named: string;
}

let projects = 0;
const newProject = () => `project-${++projects}`;
const clock = 1_000_000;

const changeOf = (projectId: string, { id, anonymousId, at, traits, offset }: Call) => ({
  kind: 'identify' as const,
  projectId,
  distinctId: id,
  anonymousId,
  traits,
  stamp: [at, at, offset] as const,
});

const store = () => createStateStore(database, { joinsIds: true });
const apply = (projectId: string, calls: readonly Call[]) =>
  applyChanges(
    store(),
    calls.map((call) => changeOf(projectId, call)),
  );

const decide = (projectId: string, { kind, of, named }: Decision, at: number) =>
  database.drizzle.transaction(async (tx) => {
    const joins = createJoinsStore(executeOn(tx));
    await joins.lockProjects(new Map([[projectId, true]]));
    const options = { projectId, distinctId: of, joinedId: named, sub: 'sub-ada', at };
    // Parting the id that names a person is refused.
    await (kind === 'join' ? joinPersons : partIds)(joins, options).catch((error) => {
      if (!(error instanceof JoinConflict)) throw error;
    });
  });

/** Returns the person of every stored id, and the traits of each person. */
async function stored(projectId: string) {
  const rows = await database.sql<{ id: string; person: string }[]>`
    select distinct_id as id, coalesce(person_id, distinct_id) as person from identities
    where project_id = ${projectId} order by 1`;
  const traits = await database.sql<{ id: string; traits: Record<string, unknown> }[]>`
    select people.distinct_id as id, coalesce(persons.traits, people.traits) as traits
    from people left join identities using (project_id, distinct_id)
      left join persons using (project_id, person_id)
    where people.project_id = ${projectId}`;
  return {
    persons: Object.fromEntries(rows.map(({ id, person }) => [id, person])),
    traits: Object.fromEntries(traits.map(({ id, traits: all }) => [id, all])),
  };
}

/** The rule in its shortest form: who is who after these calls, and the decisions that were made after them. */
function reference(calls: readonly Call[]) {
  const known = new Set(calls.map(({ id }) => id));
  const decided = new Map<string, { to: string | null; named: string; wasAlone: boolean }>();
  const claimOf = (id: string) =>
    calls
      .filter((call) => call.anonymousId === id && call.id !== id && !known.has(id))
      .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))[0]?.id ?? null;
  const target = (id: string) => (decided.has(id) ? (decided.get(id)?.to ?? null) : claimOf(id));
  function personOf(id: string): string {
    const path: string[] = [];
    for (let at: string | null = id; at !== null; at = target(at)) {
      if (path.includes(at)) return path.slice(path.indexOf(at)).sort()[0] ?? at;
      path.push(at);
    }
    return path.at(-1) ?? id;
  }
  const isOne = (a: string, b: string | null) => b !== null && personOf(a) === personOf(b);
  return {
    personOf,
    decide({ kind, of, named }: Decision) {
      const root = personOf(named);
      if (kind === 'join' && !isOne(of, named)) {
        if (isOne(of, claimOf(root))) decided.delete(root);
        else decided.set(root, { to: personOf(of), named, wasAlone: decided.has(root) });
      }
      if (kind === 'part' && isOne(of, named) && named !== root) {
        const path = [named];
        for (let at = target(named); at !== null && !path.includes(at); at = target(at)) path.push(at);
        const made = path.find((id) => decided.get(id)?.named === named && decided.get(id)?.to !== null);
        const id = made ?? named;
        if (isOne(of, claimOf(id)) || decided.get(id)?.wasAlone)
          decided.set(id, { to: null, named, wasAlone: false });
        else decided.delete(id);
      }
    },
    traitsOf(id: string): Record<string, unknown> {
      const newest = calls
        .filter((call) => personOf(call.id) === personOf(id))
        .sort((a, b) => a.at - b.at || a.offset - b.offset);
      return Object.assign({}, ...newest.map(({ traits }) => traits));
    },
  };
}

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const calls = fc
  .array(
    fc.record({
      id,
      anonymousId: fc.option(id, { nil: undefined }),
      at: fc.integer({ min: clock, max: clock + 5 }),
      traits: fc.dictionary(fc.constantFrom('plan', 'name'), fc.nat(9), { maxKeys: 2 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) => all.map((call, offset): Call => ({ ...call, offset })));
const decisions = fc.array(
  fc.record({ kind: fc.constantFrom('join' as const, 'part' as const), of: id, named: id }),
  { maxLength: 6 },
);

/** The same calls as several partitions deliver them: shuffled, some twice, cut into batches. */
const deliveries = calls.chain((all) =>
  fc.record({
    all: fc.constant(all),
    delivered: fc
      .tuple(fc.shuffledSubarray(all, { minLength: all.length }), fc.subarray(all))
      .map(([first, again]) => [...first, ...again]),
    batch: fc.integer({ min: 1, max: 5 }),
    decided: decisions,
  }),
);

function expectedOf(
  all: readonly Call[],
  { personOf, traitsOf }: ReturnType<typeof reference>,
  ids: string[],
) {
  return {
    persons: Object.fromEntries(ids.map((one) => [one, personOf(one)])),
    traits: Object.fromEntries(
      [...new Set(all.flatMap((call) => [call.id, call.anonymousId ?? call.id]))].map((one) => [
        one,
        traitsOf(one),
      ]),
    ),
  };
}

describe('the persons of ids', () => {
  it('are those of the reference for calls in any order, repeated, from several partitions at once', async () => {
    await fc.assert(
      fc.asyncProperty(deliveries, async ({ all, delivered, batch, decided }) => {
        const projectId = newProject();
        const partitions = [0, 1, 2].map((partition) =>
          delivered.filter((call) => call.id.charCodeAt(0) % 3 === partition),
        );
        await Promise.all(
          partitions.map(async (partition) => {
            for (let from = 0; from < partition.length; from += batch)
              await apply(projectId, partition.slice(from, from + batch));
          }),
        );
        const rule = reference(all);
        const { persons, traits } = await stored(projectId);
        expect({ persons, traits }).toEqual(expectedOf(all, rule, Object.keys(persons)));
        for (const [index, decision] of decided.entries()) {
          await decide(projectId, decision, clock + 100 + index);
          rule.decide(decision);
          const after = await stored(projectId);
          for (const [one, person] of Object.entries(after.persons))
            expect([one, person]).toEqual([one, rule.personOf(one)]);
          for (const [one, its] of Object.entries(after.traits)) expect(its).toEqual(rule.traitsOf(one));
        }
      }),
      { numRuns: 150 },
    );
  });

  it('are as before when a colleague joins two persons and parts them again, and the other way round', async () => {
    await fc.assert(
      fc.asyncProperty(calls, id, id, async (all, any, named) => {
        const projectId = newProject();
        await apply(projectId, all);
        const known = Object.keys((await stored(projectId)).persons);
        const before = await stored(projectId);
        const { personOf } = reference(all);
        const of = personOf(any);
        const isOne = of === personOf(named);
        const [first, second] = isOne ? (['part', 'join'] as const) : (['join', 'part'] as const);
        await decide(projectId, { kind: first, of, named }, clock + 100);
        await decide(projectId, { kind: second, of, named }, clock + 101);
        const after = await stored(projectId);
        for (const one of known) expect(after.persons[one]).toBe(before.persons[one]);
        expect(after.traits).toMatchObject(before.traits);
      }),
      { numRuns: 60 },
    );
  });

  it('are never two for one id, and no transaction deadlocks, when many connections join the same ids', async () => {
    const projectId = newProject();
    const ids = Array.from({ length: 20 }, (_, index) => `id-${index}`);
    const all = fc.sample(
      fc.record({
        id: fc.constantFrom(...ids),
        anonymousId: fc.option(fc.constantFrom(...ids, 'anon-1', 'anon-2', 'anon-3'), { nil: undefined }),
        at: fc.integer({ min: clock, max: clock + 3 }),
        traits: fc.constant({ plan: 'pro' }),
      }),
      400,
    );
    const numbered = all.map((call, offset): Call => ({ ...call, offset }));
    const left = numbered.values();
    async function work() {
      for (const call of left) await apply(projectId, [call]);
    }
    await Promise.all(Array.from({ length: 8 }, work));
    const rule = reference(numbered);
    const { persons } = await stored(projectId);
    expect(persons).toEqual(Object.fromEntries(Object.keys(persons).map((one) => [one, rule.personOf(one)])));
    const folded = await database.sql<{ ids: string[] }[]>`
      select ids from persons where project_id = ${projectId}`;
    const listed = folded.flatMap((person) => person.ids);
    expect(new Set(listed).size).toBe(listed.length);
  });
});

const call = (id: string, anonymousId?: string): Call => ({
  id,
  anonymousId,
  at: clock,
  traits: {},
  offset: 0,
});

/** Resolves when a transaction waits for the lock of a project. */
const projectLockIsAwaited = () =>
  eventually(async () => {
    const waiting = await database.sql`
      select 1 from pg_locks join pg_database on pg_database.oid = database
      where datname = current_database() and locktype = 'advisory' and not granted`;
    expect(waiting).toHaveLength(1);
  });

describe('a claim of a person with 1,000 ids', () => {
  /** Applies calls, and returns the ids that were read. */
  async function readBy(projectId: string, all: readonly Call[]): Promise<string[]> {
    const read: string[] = [];
    const { update } = store();
    const watched = {
      update: ((work) =>
        update((updates) => {
          const { joins } = updates;
          if (joins === undefined) return work(updates);
          const watch = <T>(ids: readonly string[], found: T): T => {
            read.push(...ids);
            return found;
          };
          return work({
            ...updates,
            joins: {
              ...joins,
              read: (project, ids) => watch(ids, joins.read(project, ids)),
              properties: (project, ids) => watch(ids, joins.properties(project, ids)),
              findPersons: async (project, ids) => {
                const persons = await joins.findPersons(project, ids);
                return watch(
                  persons.flatMap((person) => person.ids),
                  persons,
                );
              },
            },
          });
        })) satisfies typeof update,
    };
    await applyChanges(
      watched,
      all.map((one) => changeOf(projectId, one)),
    );
    return read;
  }

  it('is refused without reading the ids of the person, also when it is repeated with an earlier time', async () => {
    const projectId = newProject();
    const visitors = Array.from({ length: 999 }, (_, index) => `visitor-${index}`);
    await apply(
      projectId,
      visitors.map((visitor) => call('ada', visitor)),
    );
    expect(await readBy(projectId, [call('ada', 'one-too-many')])).toEqual(['ada', 'one-too-many']);
    const earlier = { ...call('ada', 'one-too-many'), at: 1 };
    expect(await readBy(projectId, [earlier])).toEqual(['ada', 'one-too-many']);
    expect(await readBy(projectId, [{ ...call('ada', 'visitor-7'), at: 1 }])).toEqual(['ada', 'visitor-7']);
    const { persons, traits } = await stored(projectId);
    expect(persons).toMatchObject({ ada: 'ada', 'visitor-7': 'ada', 'one-too-many': 'one-too-many' });
    expect(traits).toHaveProperty('one-too-many');
    const [row] = await database.sql`
      select claimed_by, is_beyond_bound from identities
      where project_id = ${projectId} and distinct_id = 'one-too-many'`;
    expect(row).toEqual({ claimed_by: 'ada', is_beyond_bound: true });
  });

  it('is applied without reading the other ids of the person', async () => {
    const projectId = newProject();
    const visitors = Array.from({ length: 900 }, (_, index) => `visitor-${index}`);
    await apply(
      projectId,
      visitors.map((visitor) => call('ada', visitor)),
    );
    await apply(projectId, [{ ...call('ada'), at: 1, traits: { plan: 'free', name: 'Ada' } }]);
    const late = [call('ada', 'late'), { ...call('eve', 'later'), at: 2, traits: { plan: 'pro' } }];
    const read = await readBy(projectId, late);
    expect(new Set(read)).toEqual(new Set(['late', 'later', 'ada', 'eve']));
    const { persons, traits } = await stored(projectId);
    expect(persons).toMatchObject({ late: 'ada', later: 'eve' });
    expect(traits).toMatchObject({ late: { plan: 'free', name: 'Ada' }, later: { plan: 'pro' } });
  });

  it('is applied again once the person has room', async () => {
    const projectId = newProject();
    const visitors = Array.from({ length: 999 }, (_, index) => `visitor-${index}`);
    await apply(
      projectId,
      visitors.map((visitor) => call('ada', visitor)),
    );
    await apply(projectId, [call('ada', 'late')]);
    await apply(projectId, [call('visitor-7')]);
    await apply(projectId, [{ ...call('ada', 'late'), at: 1 }]);
    expect((await stored(projectId)).persons).toMatchObject({ 'visitor-7': 'visitor-7', late: 'ada' });
  });
});

describe('maintenance of persons', () => {
  it('erases a person with many refused claims without reading these ids', async () => {
    const projectId = newProject();
    await apply(projectId, [call('ada', 'visitor')]);
    await database.sql`
      insert into identities (project_id, distinct_id, claimed_at, claimed_by, is_beyond_bound)
      select ${projectId}, 'refused-' || number, 1, 'ada', true from generate_series(1, 10050) as number`;
    const read: number[] = [];
    await database.drizzle.transaction(async (tx) => {
      const joins = createJoinsStore(executeOn(tx));
      await joins.lockProjects(new Map([[projectId, true]]));
      expect((await readPerson(joins, projectId, 'ada')).beyondBound).toBe(10_001);
      const watched: typeof joins = {
        ...joins,
        read: async (project, ids) => {
          read.push(ids.length);
          return joins.read(project, ids);
        },
      };
      await eraseIds(watched, projectId, ['ada']);
    });
    expect(Math.max(...read)).toBe(2);
    const claims = await database.sql`
      select 1 from identities where project_id = ${projectId} and (claimed_by is not null or is_beyond_bound)`;
    expect(claims).toHaveLength(0);
    expect((await stored(projectId)).persons).toMatchObject({ visitor: 'visitor', 'refused-1': 'refused-1' });
  });

  it('removes unseen persons without a deadlock with a call of the same project', async () => {
    const projectId = newProject();
    await apply(projectId, [call('ada', 'visitor'), call('grace', 'guest')]);
    await database.sql`
      update persons set seen_on = '2020-01-01' where project_id = ${projectId} and person_id = 'grace'`;
    await database.sql`
      update people set seen_on = '2020-01-01' where project_id = ${projectId} and distinct_id <> 'ada'`;
    const expiring = unseenPersons(database, 30);
    const removal = await database.drizzle.transaction(async (tx) => {
      const joins = createJoinsStore(executeOn(tx));
      await joins.lockProjects(new Map([[projectId, false]]));
      const removing = expiring.removeBefore(new Date('2021-01-01'));
      await projectLockIsAwaited();
      await tx.execute(sql`update people set traits = '{}' where project_id = ${projectId}`);
      return { removing };
    });
    await removal.removing;
    const left = await database.sql`
      select distinct_id from people where project_id = ${projectId} and seen_on > '2021-01-01' order by 1`;
    expect(left.map((row) => row['distinct_id'])).toEqual(['ada', 'visitor']);
    expect((await stored(projectId)).persons).toEqual({ ada: 'ada', visitor: 'ada' });
  });

  it('removes a colleague from a decision that another transaction is saving', async () => {
    const projectId = newProject();
    await decide(projectId, { kind: 'join', of: 'ada', named: 'visitor' }, clock);
    const removal = await database.drizzle.transaction(async (tx) => {
      const joins = createJoinsStore(executeOn(tx));
      await joins.lockProjects(new Map([[projectId, true]]));
      const identities = await joins.read(projectId, ['visitor']);
      const removing = removeDecider(database.drizzle, 'sub-ada');
      await Promise.race([removing, projectLockIsAwaited()]);
      await joins.save(projectId, identities);
      return { removing };
    });
    await removal.removing;
    const decided = await database.sql`
      select decided_to, decided_by from identities
      where project_id = ${projectId} and distinct_id = 'visitor'`;
    expect([...decided]).toEqual([{ decided_to: 'ada', decided_by: null }]);
  });

  it('erases an id from a decision that names it and is about another id', async () => {
    const projectId = newProject();
    await apply(projectId, [call('grace', 'guest')]);
    await decide(projectId, { kind: 'join', of: 'ada', named: 'guest' }, clock);
    await database.drizzle.transaction(async (tx) => {
      const joins = createJoinsStore(executeOn(tx));
      await joins.lockProjects(new Map([[projectId, true]]));
      await eraseIds(joins, projectId, ['guest']);
    });
    const decided = await database.sql`
      select distinct_id, decided_to, decided_for from identities
      where project_id = ${projectId} and decided_at is not null`;
    expect([...decided]).toEqual([{ distinct_id: 'grace', decided_to: 'ada', decided_for: 'grace' }]);
  });

  it('publishes parted ids again when the topic lost records', async () => {
    const projectId = newProject();
    await apply(projectId, [call('ada', 'visitor')]);
    await apply(projectId, [call('visitor')]);
    await decide(projectId, { kind: 'join', of: 'ada', named: 'grace' }, clock);
    await apply(projectId, [call('ada', 'guest')]);
    await decide(projectId, { kind: 'part', of: 'ada', named: 'guest' }, clock);
    await database.sql`delete from unpublished_people`;
    await database.drizzle.transaction((tx) => personRepublication.publishAll(tx));
    const announced = await database.sql`
      select distinct_id from unpublished_people where project_id = ${projectId} order by 1`;
    expect(announced.map((row) => row['distinct_id'])).toEqual(['grace', 'guest', 'visitor']);
  });

  it('publishes all ids again beside calls that announce some of them', async () => {
    const projectId = newProject();
    // The id that is announced last is stored first.
    await apply(projectId, [call('zoe', 'zoe-phone')]);
    await apply(projectId, [call('ada', 'ada-phone')]);
    await database.sql`delete from unpublished_people`;
    const beside = await database.drizzle.transaction(async (tx) => {
      const joins = createJoinsStore(executeOn(tx));
      await joins.announce(projectId, ['ada-phone']);
      const republishing = database.drizzle.transaction((other) => personRepublication.publishAll(other));
      await eventually(async () => {
        const waiting = await database.sql`
          select 1 from pg_locks where locktype = 'transactionid' and not granted
          and pid in (select pid from pg_stat_activity where datname = current_database())`;
        expect(waiting).toHaveLength(1);
      });
      await joins.announce(projectId, ['zoe-phone']);
      return { republishing };
    });
    await beside.republishing;
    const announced = await database.sql`
      select distinct_id from unpublished_people where project_id = ${projectId} order by 1`;
    expect(announced.map((row) => row['distinct_id'])).toEqual(['ada-phone', 'zoe-phone']);
  });
});
