import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, json, startHarness } from '../testing/harness.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.stop());

describe('cohorts of a project', () => {
  it('are created, replaced, read and deleted', async () => {
    const project = await harness.createProject();
    const path = `/projects/${project.id}/cohorts/beta`;
    const match = [{ attribute: 'plan', op: 'eq', value: 'pro' }];
    const created = await harness.manage('PUT', path, { name: 'Beta', match, distinctIds: ['b', 'a', 'b'] });
    expect(created.status).toBe(200);
    const cohort = { id: 'beta', name: 'Beta', match, distinctIds: ['a', 'b'] };
    expect(await json(created)).toEqual(cohort);
    expect(await json(await harness.manage('GET', path))).toEqual(cohort);
    await harness.manage('PUT', path, { name: 'Beta 2', distinctIds: ['b', 'c'] });
    expect(await json(await harness.manage('GET', path))).toEqual({
      id: 'beta',
      name: 'Beta 2',
      distinctIds: ['b', 'c'],
    });
    expect(await json(await harness.manage('GET', `/projects/${project.id}/cohorts`))).toEqual({
      cohorts: [{ id: 'beta', name: 'Beta 2' }],
    });
    expect((await harness.manage('DELETE', path)).status).toBe(204);
    expect((await harness.manage('DELETE', path)).status).toBe(204);
    expect((await harness.manage('GET', path)).status).toBe(404);
  });

  it('cannot refer to cohorts', async () => {
    const project = await harness.createProject();
    const match = [{ attribute: 'x', op: 'in_cohort', value: 'other' }];
    const response = await harness.manage('PUT', `/projects/${project.id}/cohorts/beta`, {
      name: 'B',
      match,
    });
    expect(response.status).toBe(400);
    expect(await json(response)).toMatchObject({
      error: { message: expect.stringContaining('match[0].op: a cohort cannot refer to another cohort') },
    });
  });

  it('list up to 10,000 people', async () => {
    const project = await harness.createProject();
    const distinctIds = Array.from({ length: 10_000 }, (_, index) => `person ${index}`);
    await harness.putCohort(project, 'many', { name: 'Many', distinctIds });
    const of = async (id: string) =>
      json(await harness.get(`/v1/flags/memberships?distinct_id=${id}`, project.key));
    expect(await of('person%209999')).toEqual({ cohorts: ['many'] });
    expect(await of('person%2010000')).toEqual({ cohorts: [] });
  });
});
