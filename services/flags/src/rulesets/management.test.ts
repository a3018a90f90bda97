import type { FlagEntry } from '@switchboard/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, startWorld, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.stop());

const on = { enabled: true, rolloutPercentage: 100 };
const needs = (flagKey: string, variationKey = 'on') => ({
  ...on,
  prerequisites: [{ flagKey, variationKey }],
});

async function generatedAt(key: string): Promise<string> {
  return String((await json(await world.get('/v1/flags/snapshot', key)))['generatedAt']);
}

describe('flags of a project', () => {
  it('are created, replaced, read and removed', async () => {
    const project = await world.createProject();
    const path = `/projects/${project.id}/flags/new%20checkout`;
    const definition = { ...on, type: 'string', variations: [{ key: 'a', value: 'A', weight: 3 }] };
    const created = await world.manage('PUT', path, definition);
    expect(created.status).toBe(200);
    expect(await json(created)).toEqual({ key: 'new checkout', ...definition });
    await world.manage('PUT', path, on);
    expect(await json(await world.manage('GET', path))).toEqual({ key: 'new checkout', ...on });
    await world.putFlag(project, { key: 'another', ...on });
    const { flags } = await json(await world.manage('GET', `/projects/${project.id}/flags`));
    expect((flags as FlagEntry[]).map(({ key }) => key)).toEqual(['another', 'new checkout']);
    expect((await world.manage('DELETE', path)).status).toBe(204);
    expect((await world.manage('DELETE', path)).status).toBe(204);
    const gone = await world.manage('GET', path);
    expect(gone.status).toBe(404);
    expect(await json(gone)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it.each<[string, unknown, string]>([
    ['an unknown prerequisite', needs('nowhere'), 'prerequisites[0].flagKey: there is no flag "nowhere"'],
    ['itself', needs('checked'), 'prerequisites[0].flagKey: makes a cycle: checked -> checked'],
    ['what a flag never serves', needs('base', 'blue'), 'prerequisites[0].variationKey: flag "base" never'],
    ['a percentage over 100', { ...on, rolloutPercentage: 101 }, 'rolloutPercentage: '],
    ['half a percentage', { ...on, rolloutPercentage: 0.5 }, 'rolloutPercentage: '],
    [
      'a negative weight',
      { ...on, variations: [{ key: 'a', value: 1, weight: -1 }] },
      'variations[0].weight',
    ],
    ['weights of 0', { ...on, variations: [{ key: 'a', value: 1, weight: 0 }] }, 'variations: the weights'],
    [
      'a value of another type',
      { ...on, type: 'number', variations: [{ key: 'a', value: '1', weight: 1 }] },
      'variations[0].value: not a number',
    ],
    ['an unknown operator', { ...on, targeting: [{ attribute: 'a', op: 'like' }] }, 'targeting[0].op: '],
    ['no body', '', 'body: '],
  ])('refuse %s', async (_, definition, message) => {
    const project = await world.createProject();
    await world.putFlag(project, { key: 'base', ...on });
    const response = await world.manage('PUT', `/projects/${project.id}/flags/checked`, definition);
    expect(response.status).toBe(400);
    const { error } = await json(response);
    expect(error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining(message) });
  });

  it('cannot be made a cycle by writers who do not know of each other', async () => {
    const project = await world.createProject();
    const other = await world.startInstance();
    const keys = ['a', 'b', 'c', 'd'];
    for (const key of keys) await world.putFlag(project, { key, ...on });
    // Each flag is made to need the next one: together a cycle, so one of the writers has to be refused.
    const answers = await Promise.all(
      keys.map((key, index) => {
        const next = keys[(index + 1) % keys.length] ?? '';
        const url = index % 2 === 0 ? world.url : other.url;
        return world.manage('PUT', `/projects/${project.id}/flags/${key}`, needs(next), url);
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 400]);
  });

  it('stay while another flag needs them, and the refusal names it', async () => {
    const project = await world.createProject();
    await world.putFlag(project, { key: 'base', ...on });
    await world.putFlag(project, { key: 'top', ...needs('base') });
    const refused = await world.manage('DELETE', `/projects/${project.id}/flags/base`);
    expect(refused.status).toBe(409);
    expect(await json(refused)).toMatchObject({
      error: { code: 'CONFLICT', message: 'The flag is a prerequisite of "top". Change those first.' },
    });
    await world.manage('DELETE', `/projects/${project.id}/flags/top`);
    expect((await world.manage('DELETE', `/projects/${project.id}/flags/base`)).status).toBe(204);
  });
});

describe('cohorts of a project', () => {
  it('are created, replaced, read and removed', async () => {
    const project = await world.createProject();
    const path = `/projects/${project.id}/cohorts/beta`;
    const match = [{ attribute: 'plan', op: 'eq', value: 'pro' }];
    const created = await world.manage('PUT', path, { name: 'Beta', match, distinctIds: ['b', 'a', 'b'] });
    expect(created.status).toBe(200);
    const cohort = { id: 'beta', name: 'Beta', match, distinctIds: ['a', 'b'] };
    expect(await json(created)).toEqual(cohort);
    expect(await json(await world.manage('GET', path))).toEqual(cohort);
    await world.manage('PUT', path, { name: 'Beta 2', distinctIds: ['b', 'c'] });
    expect(await json(await world.manage('GET', path))).toEqual({
      id: 'beta',
      name: 'Beta 2',
      distinctIds: ['b', 'c'],
    });
    expect(await json(await world.manage('GET', `/projects/${project.id}/cohorts`))).toEqual({
      cohorts: [{ id: 'beta', name: 'Beta 2' }],
    });
    expect((await world.manage('DELETE', path)).status).toBe(204);
    expect((await world.manage('DELETE', path)).status).toBe(204);
    expect((await world.manage('GET', path)).status).toBe(404);
  });

  it('cannot refer to cohorts', async () => {
    const project = await world.createProject();
    const match = [{ attribute: 'x', op: 'in_cohort', value: 'other' }];
    const response = await world.manage('PUT', `/projects/${project.id}/cohorts/beta`, { name: 'B', match });
    expect(response.status).toBe(400);
    expect(await json(response)).toMatchObject({
      error: { message: expect.stringContaining('match[0].op: a cohort does not refer to cohorts') },
    });
  });

  it('name up to 10,000 people', async () => {
    const project = await world.createProject();
    const distinctIds = Array.from({ length: 10_000 }, (_, index) => `person ${index}`);
    await world.putCohort(project, 'many', { name: 'Many', distinctIds });
    const of = async (id: string) =>
      json(await world.get(`/v1/flags/memberships?distinct_id=${id}`, project.key));
    expect(await of('person%209999')).toEqual({ cohorts: ['many'] });
    expect(await of('person%2010000')).toEqual({ cohorts: [] });
  });
});

describe('a change', () => {
  it('moves generatedAt forward, and a write that changes nothing does not', async () => {
    const project = await world.createProject();
    const times = [await generatedAt(project.key)];
    const note = async () => times.push(await generatedAt(project.key));
    await world.putFlag(project, { key: 'a', ...on });
    await note();
    await world.putCohort(project, 'c', { name: 'C', distinctIds: ['x'] });
    await note();
    await world.manage('DELETE', `/projects/${project.id}/flags/a`);
    await note();
    expect(times).toEqual([...new Set(times)].sort());
    expect(times[0]).toBe('1970-01-01T00:00:00.000Z');
    await world.putCohort(project, 'c', { name: 'C', distinctIds: ['x', 'x'] });
    await world.manage('DELETE', `/projects/${project.id}/flags/a`);
    await world.manage('DELETE', `/projects/${project.id}/cohorts/none`);
    expect(await generatedAt(project.key)).toBe(times.at(-1));
  });
});

describe('the management of a project', () => {
  it('that is not there is 404, that is of another region 403', async () => {
    for (const path of ['flags', 'cohorts', 'flags/x', 'cohorts/x']) {
      expect((await world.manage('GET', `/projects/nowhere/${path}`)).status).toBe(404);
    }
    expect((await world.manage('PUT', '/projects/nowhere/flags/x', on)).status).toBe(404);
    expect((await world.manage('DELETE', '/projects/nowhere/flags/x')).status).toBe(404);
    const elsewhere = await world.createProject({ region: 'us' });
    const response = await world.manage('PUT', `/projects/${elsewhere.id}/flags/x`, on);
    expect(response.status).toBe(403);
    expect(await json(response)).toMatchObject({
      error: { message: 'The project belongs to region us; this deployment serves region eu.' },
    });
  });

  it('needs the permission service.manage', async () => {
    const project = await world.createProject();
    const path = `${world.url}/management/v1/projects/${project.id}/flags`;
    expect((await fetch(path)).status).toBe(401);
    const token = await world.tokens.mint({ sub: 'ada', permissions: [] });
    const response = await fetch(path, { headers: { Authorization: `Bearer ${token}` } });
    expect(response.status).toBe(403);
  });
});
