import { beforeEach, expect, it } from 'vitest';
import { useDatabase } from '../testing/database.ts';
import { type ClaimedWatch, createWatchedPeopleStore, type Differences } from './store.ts';

const { signal } = new AbortController();
const NOW = new Date('2026-03-01T00:00:00Z');
const LATER = new Date('2026-03-01T01:00:00Z');
const VIP = { projectId: 'shop', id: 'vip' };

const { database } = await useDatabase();
const store = createWatchedPeopleStore(database.drizzle);
beforeEach(async () => {
  await database.sql`truncate watched_cohorts, watched_people, unpublished_cohort_changes, directory.entries`;
  await store.watch('shop', ['vip'], signal);
});

async function claim(): Promise<ClaimedWatch> {
  await database.sql`update watched_cohorts set due_at = 'epoch'`;
  const [watch] = await store.claim(NOW, LATER, '');
  if (watch === undefined) throw new Error('not claimed');
  return watch;
}

/** Stores people who entered and left. With an error, fails after them. */
async function apply(
  { entered = [], left = [] }: Partial<Differences>,
  watch?: ClaimedWatch,
  error?: Error,
): Promise<void> {
  async function* differences(): AsyncGenerator<Differences> {
    yield { entered, left, added: entered, removed: left };
    if (error !== undefined) throw error;
  }
  const compared = { at: NOW, members: 0, differences: differences() };
  await store.apply(watch ?? (await claim()), compared, LATER);
}

const records = async () =>
  (await database.sql`select record from unpublished_cohort_changes order by id`).map(({ record }) => record);
const stored = () => store.people(VIP, '', 100);

it('stores members together with the records of their changes, or neither', async () => {
  await apply({ entered: ['ada'] });
  await apply({ entered: ['bob'], left: ['ada'] });
  expect(await stored()).toEqual(['bob']);
  const before = await records();
  expect(before.map(({ entered, left }) => [entered, left])).toEqual([
    ...[[[], []]],
    ...[[[], ['ada']]],
    ...[[['bob'], []]],
    ...[[[], []]],
  ]);
  await expect(apply({ entered: ['eve'] }, undefined, new Error('killed'))).rejects.toThrow('killed');
  expect([await stored(), await records()]).toEqual([['bob'], before]);
});

it('divides many people among records', async () => {
  await apply({});
  await apply({ entered: Array.from({ length: 1_001 }, (_, index) => `person-${index}`) });
  expect((await records()).map(({ entered }) => entered.length)).toEqual([0, 500, 500, 1, 0]);
});

it('applies nothing of a cohort that another instance has claimed since, or that is not watched any more', async () => {
  const watch = await claim();
  await database.sql`update watched_cohorts set claimed_until = ${new Date(LATER.getTime() + 1).toISOString()}`;
  await apply({ entered: ['ada'] }, watch);
  const next = await claim().catch(() => undefined);
  expect(next).toBeUndefined();
  await store.watch('shop', [], signal);
  await apply({ entered: ['ada'] }, watch);
  expect([await stored(), await records()]).toEqual([[], []]);
});

it('tells nothing of the first comparison after a cohort is watched again or created again', async () => {
  await apply({ entered: ['ada'] });
  await store.watch('shop', [], signal);
  expect(await stored()).toEqual([]);
  await store.watch('shop', ['vip'], signal);
  await apply({ entered: ['ada'] });
  await store.forget(VIP);
  await apply({ left: ['ada'] });
  expect((await records()).flatMap(({ entered, left }) => [...entered, ...left])).toEqual([]);
});

it('removes an erased person from members, waiting records and running comparisons, and tells nothing of it', async () => {
  await apply({});
  await apply({ entered: ['ada', 'bob'] });
  const running = await claim();
  await store.erase('shop', ['ada']);
  await apply({ left: ['bob'], entered: ['ada'] }, running);
  expect(await stored()).toEqual(['bob']);
  expect((await records()).flatMap(({ entered, left }) => [...entered, ...left])).toEqual(['bob']);
  // The directory asks for an erasure that has not begun here.
  const erasure = {
    id: 'ers_1',
    subject: { kind: 'person', projectId: 'shop', distinctIds: ['bob'], userId: null },
    waitingFor: ['eu/analytics'],
  };
  await database.sql`
    insert into directory.entries (kind, id, value, revision) values ('erasure', 'ers_1', ${JSON.stringify(erasure)}, 1)`;
  await apply({ left: ['bob'], entered: ['eve'] });
  expect((await records()).flatMap(({ entered, left }) => [...entered, ...left])).toEqual(['bob', 'eve']);
});

it('removes everything of a deleted project, and nothing of another', async () => {
  await store.watch('blog', ['vip'], signal);
  const [one, other] = [await claim(), await store.claim(NOW, LATER, 'blog')];
  for (const watch of [one, ...other]) await apply({ entered: ['ada'] }, watch);
  await store.eraseProject('shop', signal);
  expect([await stored(), await store.people({ projectId: 'blog', id: 'vip' }, '', 10)]).toEqual([
    [],
    ['ada'],
  ]);
  expect((await records()).map(({ projectId }) => projectId)).toEqual(['blog']);
});
