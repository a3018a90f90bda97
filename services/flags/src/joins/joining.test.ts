import { PEOPLE_TOPIC } from '@switchboard/contracts';
import { readTopic } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { json } from '../testing/harness.ts';
import { useJoins } from '../testing/joins.ts';

const { harness, project, newId, isPro } = await useJoins();
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

async function cohortsOf(distinctId: string): Promise<unknown> {
  return (await json(await harness.get(`/v1/flags/memberships?distinct_id=${distinctId}`, project.key)))[
    'cohorts'
  ];
}

/** Returns the newest record of each id of the project on the topic `people`. */
async function published(): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  await readTopic(harness.log, PEOPLE_TOPIC, {
    onRecord: ({ key, value }) => {
      const [projectId, id] = JSON.parse(String(key));
      if (projectId === project.id) found[id] = value && JSON.parse(String(value));
    },
  });
  return found;
}

describe('a joined id', () => {
  it('has the traits and groups of its person, who has those of each id, the newest of each', async () => {
    const [visitor, grace] = [newId('visitor'), newId('grace')];
    await harness.group(project, visitor, { id: 'acme', traits: { seats: 5 } }, at(1));
    await harness.identify(project, grace, { plan: 'free' }, at(1));
    const token = await harness.join(project, visitor, grace, { plan: 'pro' }, at(2));
    expect(await isPro(visitor, token)).toEqual({ pro: true });
    expect(await isPro(grace)).toEqual({ pro: true });
    const seats = await harness.identify(project, grace, { plan: 'free' }, at(3));
    expect(await isPro(visitor, seats)).toEqual({ pro: false });
    const [person] = await harness.sql`
      select traits, groups from persons where project_id = ${project.id} and person_id = ${grace}`;
    expect(person).toEqual({ traits: { plan: 'free' }, groups: { company: 'acme' } });
  });

  it('is evaluated with the traits of its person by OFREP', async () => {
    const [visitor, grace] = [newId('visitor'), newId('grace')];
    await harness.join(project, visitor, grace, { plan: 'pro' });
    await harness.settled();
    const response = await fetch(`${harness.url}/ofrep/v1/evaluate/flags/pro`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${project.key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ context: { targetingKey: visitor } }),
    });
    expect(await json(response)).toMatchObject({ value: true });
  });

  it('keeps its own bucket in a rollout', async () => {
    await harness.putFlag(project, { key: 'half', enabled: true, rolloutPercentage: 50 });
    const visitors = Array.from({ length: 30 }, () => newId('visitor'));
    const halfOf = async (id: string) => (await isPro(id)) as { half: boolean };
    const before = await Promise.all(visitors.map(halfOf));
    const grace = newId('grace');
    for (const visitor of visitors) await harness.join(project, visitor, grace);
    await harness.settled();
    const after = await Promise.all(visitors.map(halfOf));
    expect(after.map(({ half }) => half)).toEqual(before.map(({ half }) => half));
    expect(new Set(after.map(({ half }) => half)).size).toBe(2);
    await harness.manage('DELETE', `/projects/${project.id}/flags/half`);
  });

  it('is in the cohorts that list any id of its person, also after an evaluation from memory', async () => {
    const [visitor, grace] = [newId('visitor'), newId('grace')];
    for (let read = 0; read < 3; read++) expect(await cohortsOf(visitor)).toEqual([]);
    await harness.putCohort(project, 'beta', { name: 'Beta', distinctIds: [grace] });
    await harness.join(project, visitor, grace);
    await eventually(async () => expect(await cohortsOf(visitor)).toEqual(['beta']));
    await harness.putCohort(project, 'beta', { name: 'Beta', distinctIds: [] });
    await eventually(async () => expect(await cohortsOf(visitor)).toEqual([]));
    await harness.putCohort(project, 'beta', { name: 'Beta', distinctIds: [visitor] });
    await eventually(async () => expect(await cohortsOf(grace)).toEqual(['beta']));
  });

  it('is published with its person, and parted by a record without a value', async () => {
    const [visitor, grace] = [newId('visitor'), newId('grace')];
    await harness.join(project, visitor, grace, {}, at(7));
    const record = {
      projectId: project.id,
      distinctId: visitor,
      personId: grace,
      joinedAt: at(7),
      by: { kind: 'identify' },
    };
    await eventually(async () => expect(await published()).toMatchObject({ [visitor]: record }));
    expect(await published()).not.toHaveProperty(grace);
    await harness.identify(project, visitor, {});
    await eventually(async () => expect(await published()).toMatchObject({ [visitor]: null }));
  });

  it('is published again when the topic lost records', async () => {
    const [visitor, grace] = [newId('visitor'), newId('grace')];
    await harness.join(project, visitor, grace);
    await eventually(async () => expect((await published())[visitor]).not.toBeUndefined());
    const [before] = await harness.sql`select next_offset from published_people`;
    await harness.sql`update published_people set next_offset = 1000000`;
    await harness.join(project, newId('visitor'), grace);
    await eventually(async () => {
      const [after] = await harness.sql`select next_offset from published_people`;
      expect(Number(after?.['next_offset'])).toBeGreaterThan(Number(before?.['next_offset']) + 1);
      expect(Number(after?.['next_offset'])).toBeLessThan(1_000_000);
    });
  });
});

describe('an identify call of a project key', () => {
  const personOf = async (id: string) => {
    await harness.settled();
    const [row] = await harness.sql`
      select coalesce(person_id, distinct_id) as person from identities
      where project_id = ${project.id} and distinct_id = ${id}`;
    return row?.['person'];
  };

  it('joins an anonymous id to the person, whichever call arrives first', async () => {
    const [visitor, grace, ada] = [newId('visitor'), newId('grace'), newId('ada')];
    await harness.join(project, visitor, grace, {}, at(2));
    expect(await personOf(visitor)).toBe(grace);
    await harness.join(project, visitor, ada, {}, at(1));
    expect(await personOf(visitor)).toBe(ada);
    await harness.join(project, visitor, grace, {}, at(3));
    expect(await personOf(visitor)).toBe(ada);
  });

  it('never joins two ids that were identified, even with an earlier timestamp', async () => {
    const [ada, grace] = [newId('ada'), newId('grace')];
    await harness.identify(project, ada, { plan: 'pro' }, at(5));
    await harness.identify(project, grace, {}, at(5));
    await harness.join(project, ada, grace, {}, at(1));
    expect(await personOf(ada)).toBe(ada);
    expect(await isPro(grace)).toEqual({ pro: false });
  });

  it('parts an id that it identifies itself', async () => {
    const [visitor, grace] = [newId('visitor'), newId('grace')];
    await harness.join(project, visitor, grace, { plan: 'pro' });
    expect(await personOf(visitor)).toBe(grace);
    await harness.identify(project, visitor, {});
    expect(await personOf(visitor)).toBe(visitor);
    await eventually(async () => expect(await isPro(visitor)).toEqual({ pro: false }));
  });

  it('joins no more than 1,000 ids to a person, and counts the others', async () => {
    const grace = newId('grace');
    const visitors = Array.from({ length: 1_003 }, () => newId('visitor'));
    await Promise.all(visitors.map((visitor) => harness.join(project, visitor, grace)));
    await harness.settled();
    const [person] = await harness.sql<{ ids: string[] }[]>`
      select ids from persons where project_id = ${project.id} and person_id = ${grace}`;
    expect(person?.ids).toHaveLength(1_000);
    const [refused] = await harness.sql`
      select count(*)::int as count from identities
      where project_id = ${project.id} and claimed_by = ${grace} and is_beyond_bound`;
    expect(refused).toEqual({ count: 4 });
  });
});
