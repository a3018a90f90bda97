import { openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import { removeDecider } from '@switchboard/user-state';
import { describe, expect, it } from 'vitest';
import { json } from '../testing/harness.ts';
import { useJoins } from '../testing/joins.ts';

const { harness, project, newId, isPro } = await useJoins();
const joinsOf = (distinctId: string) => `/projects/${project.id}/people/${distinctId}/joins`;
const join = (of: string, distinctId: string) => harness.manage('POST', joinsOf(of), { distinctId });
const part = (of: string, distinctId: string) => harness.manage('DELETE', `${joinsOf(of)}/${distinctId}`);
const idsIn = async (response: Response) => {
  expect(response.status).toBe(200);
  const { ids: all } = (await json(response)) as { ids: { distinctId: string }[] };
  return all.map(({ distinctId }) => distinctId);
};

describe('a colleague', () => {
  it('joins two identified persons, and gives each what it had when they part them', async () => {
    const [ada, work, phone] = [newId('ada'), newId('work'), newId('phone')];
    await harness.identify(project, ada, { plan: 'free' });
    await harness.join(project, phone, work, { plan: 'pro' });
    await harness.settled();
    const joined = await join(ada, phone);
    expect(joined.status).toBe(200);
    expect(await json(joined)).toEqual({
      personId: ada,
      ids: [
        { distinctId: ada, joinedAt: null, by: null },
        { distinctId: phone, joinedAt: expect.any(String), by: { kind: 'identify' } },
        { distinctId: work, joinedAt: expect.any(String), by: { kind: 'colleague', sub: 'operator' } },
      ],
      idsBeyondBound: 0,
    });
    expect(await isPro(ada)).toEqual({ pro: true });
    expect(await idsIn(await harness.manage('GET', joinsOf(work)))).toEqual([ada, phone, work]);
    expect(await idsIn(await part(ada, phone))).toEqual([ada]);
    expect(await isPro(ada)).toEqual({ pro: false });
    expect(await isPro(phone)).toEqual({ pro: true });
    expect(await idsIn(await part(ada, phone))).toEqual([ada]);
  });

  it('joins identified persons for good: no call of a project key parts them, or joins them to another', async () => {
    const [ada, work, eve] = [newId('ada'), newId('work'), newId('eve')];
    await harness.identify(project, ada, {});
    await harness.identify(project, work, {});
    await harness.settled();
    expect(await idsIn(await join(ada, work))).toEqual([ada, work]);
    await harness.identify(project, work, { plan: 'pro' });
    await harness.join(project, work, eve);
    await harness.settled();
    expect(await idsIn(await harness.manage('GET', joinsOf(work)))).toEqual([ada, work]);
    expect(await idsIn(await harness.manage('GET', joinsOf(eve)))).toEqual([eve]);
    expect(await isPro(ada)).toEqual({ pro: true });
  });

  it('keeps an id apart that an identify call joined, also when the call is repeated, until they join it again', async () => {
    const [visitor, grace] = [newId('visitor'), newId('grace')];
    await harness.join(project, visitor, grace, { plan: 'pro' });
    await harness.settled();
    expect(await isPro(visitor)).toEqual({ pro: true });
    expect(await idsIn(await part(grace, visitor))).toEqual([grace]);
    await harness.join(project, visitor, grace, { plan: 'pro' });
    await harness.settled();
    expect(await isPro(visitor)).toEqual({ pro: false });
    expect(await idsIn(await join(grace, visitor))).toEqual([grace, visitor]);
    const [row] = await harness.sql`
      select decided_at from identities where project_id = ${project.id} and distinct_id = ${visitor}`;
    expect(row).toEqual({ decided_at: null });
  });

  it('gets a 409 for parting the id that names a person, and for a join of more than 1,000 ids', async () => {
    const [visitor, grace, ada] = [newId('visitor'), newId('grace'), newId('ada')];
    await harness.join(project, visitor, grace);
    await harness.settled();
    const named = await part(visitor, grace);
    expect(named.status).toBe(409);
    expect(await json(named)).toMatchObject({
      error: { message: `${grace} names this person. Part the other ids instead.` },
    });
    await Promise.all(Array.from({ length: 999 }, () => harness.join(project, newId('visitor'), ada)));
    await harness.settled();
    const full = await join(ada, grace);
    expect(full.status).toBe(409);
    expect(await json(full)).toMatchObject({ error: { message: expect.stringContaining('1000 and 2 ids') } });
  });

  it('joins and parts ids that sent nothing', async () => {
    const [one, other] = [newId('one'), newId('other')];
    expect(await idsIn(await part(one, other))).toEqual([one]);
    expect(await idsIn(await join(one, other))).toEqual([one, other]);
    expect(await idsIn(await part(one, other))).toEqual([one]);
    await eventually(async () => {
      const left = await harness.sql`select 1 from unpublished_people where project_id = ${project.id}`;
      expect(left).toHaveLength(0);
    });
  });

  it('is erased from their decisions, which stay', async () => {
    const [one, other] = [newId('one'), newId('other')];
    await join(one, other);
    const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
    await removeDecider(database.drizzle, 'operator');
    await database.close();
    const [row] = await harness.sql`
      select decided_to, decided_by from identities where project_id = ${project.id} and distinct_id = ${other}`;
    expect(row).toEqual({ decided_to: one, decided_by: null });
  });
});
