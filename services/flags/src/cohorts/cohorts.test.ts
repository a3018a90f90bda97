import type { ScheduledChange } from '@switchboard/contracts';
import { describe, expect, it } from 'vitest';
import { json, useFlags } from '../testing/harness.ts';

const harness = await useFlags();

describe('cohorts of a project', () => {
  it('creates, replaces, reads and deletes cohorts', async () => {
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
    const left = await harness.get('/v1/flags/memberships?distinct_id=c', project.key);
    expect(await json(left)).toEqual({ cohorts: [] });
    expect((await harness.manage('DELETE', path)).status).toBe(204);
    expect((await harness.manage('GET', path)).status).toBe(404);
  });

  it('rejects the 1,001st cohort, and replaces one of 1,000', async () => {
    const project = await harness.createProject();
    await harness.sql`
      insert into cohorts (project_id, id, name)
      select ${project.id}, 'c' || n, 'C' from generate_series(1, 1000) as n`;
    const put = (id: string) =>
      harness.manage('PUT', `/projects/${project.id}/cohorts/${id}`, { name: 'New' });
    const more = await put('more');
    expect(more.status).toBe(400);
    expect(await json(more)).toMatchObject({
      error: { message: 'A project has at most 1,000 cohorts. Delete some first.' },
    });
    expect((await put('c7')).status).toBe(200);
  });

  it('refuses to delete a cohort that flags name, and deletes scheduled changes with their cohort', async () => {
    const project = await harness.createProject();
    const path = `/projects/${project.id}/cohorts/beta`;
    const targeting = [{ attribute: 'cohort', op: 'not_in_cohort', value: ['other', 'beta'] }];
    await harness.manage('PUT', path, { name: 'Beta', distinctIds: ['ada'] });
    const flag = { enabled: true, rolloutPercentage: 100 };
    await harness.manage('PUT', `/projects/${project.id}/flags/beta`, { ...flag, targeting });
    const rules = [{ targeting }];
    await harness.manage('PUT', `/projects/${project.id}/flags/rules`, { ...flag, rules });
    const refused = await harness.manage('DELETE', path);
    expect(refused.status).toBe(409);
    expect(await json(refused)).toEqual({
      error: {
        code: 'CONFLICT',
        message: 'The flags "beta", "rules" name the cohort. Change or delete those flags first.',
      },
    });
    await harness.manage('PUT', `/projects/${project.id}/flags/beta`, flag);
    await harness.manage('DELETE', `/projects/${project.id}/flags/rules`);
    const changes = `/projects/${project.id}/scheduled-changes`;
    const at = new Date(Date.now() + 3_600_000).toISOString();
    await harness.manage('POST', changes, { key: 'beta', at, patch: { targeting } });
    await harness.manage('POST', changes, { key: 'beta', at, patch: { enabled: false } });
    expect((await harness.manage('DELETE', path)).status).toBe(204);
    await harness.manage('PUT', path, { name: 'Another', distinctIds: [] });
    const left = (await json(await harness.manage('GET', changes)))['changes'] as ScheduledChange[];
    const failures = left.map(({ failure }) => failure?.message);
    expect(failures.sort()).toEqual(['The cohort beta was deleted.', undefined]);
  });

  it('rejects a cohort that refers to cohorts', async () => {
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

  it('accepts up to 10,000 people in a cohort', async () => {
    const project = await harness.createProject();
    const distinctIds = Array.from({ length: 10_000 }, (_, index) => `person ${index}`);
    await harness.putCohort(project, 'many', { name: 'Many', distinctIds });
    const of = async (id: string) =>
      json(await harness.get(`/v1/flags/memberships?distinct_id=${id}`, project.key));
    expect(await of('person%209999')).toEqual({ cohorts: ['many'] });
    expect(await of('person%2010000')).toEqual({ cohorts: [] });
    const others = distinctIds.map((distinctId) => `other ${distinctId}`);
    const path = `/projects/${project.id}/cohorts/many`;
    const replaced = await json(
      await harness.manage('PUT', path, {
        name: 'Many',
        distinctIds: [...others.slice(2), 'person 7', 'person 7'],
      }),
    );
    expect(replaced['distinctIds']).toEqual([...others.slice(2), 'person 7'].sort());
    expect(await json(await harness.manage('GET', path))).toEqual(replaced);
    expect([await of('person%207'), await of('person%208')]).toEqual([
      { cohorts: ['many'] },
      { cohorts: [] },
    ]);
  });
});
