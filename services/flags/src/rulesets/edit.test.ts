import { describe, expect, it } from 'vitest';
import { json, useFlags } from '../testing/harness.ts';

const harness = await useFlags();

const on = { enabled: true, rolloutPercentage: 100 };

async function generatedAt(key: string): Promise<string> {
  return String((await json(await harness.get('/v1/flags/snapshot', key)))['generatedAt']);
}

describe('an edit', () => {
  it('moves generatedAt forward with an edit, unless it changes nothing', async () => {
    const project = await harness.createProject();
    const times = [await generatedAt(project.key)];
    const note = async () => times.push(await generatedAt(project.key));
    await harness.putFlag(project, { key: 'a', ...on });
    await note();
    await harness.putCohort(project, 'c', { name: 'C', distinctIds: ['x'] });
    await note();
    await harness.manage('DELETE', `/projects/${project.id}/flags/a`);
    await note();
    expect(times).toEqual([...new Set(times)].sort());
    expect(times[0]).toBe('1970-01-01T00:00:00.000Z');
    await harness.putCohort(project, 'c', { name: 'C', distinctIds: ['x', 'x'] });
    await harness.manage('DELETE', `/projects/${project.id}/flags/a`);
    await harness.manage('DELETE', `/projects/${project.id}/cohorts/none`);
    expect(await generatedAt(project.key)).toBe(times.at(-1));
  });
});

describe('management of a project', () => {
  it('answers management with 404 for an unknown project and 403 for one of another region', async () => {
    for (const path of ['flags', 'cohorts', 'flags/x', 'cohorts/x']) {
      expect((await harness.manage('GET', `/projects/nowhere/${path}`)).status).toBe(404);
    }
    expect((await harness.manage('PUT', '/projects/nowhere/flags/x', on)).status).toBe(404);
    expect((await harness.manage('DELETE', '/projects/nowhere/flags/x')).status).toBe(404);
    const elsewhere = await harness.createProject({ region: 'us' });
    const response = await harness.manage('PUT', `/projects/${elsewhere.id}/flags/x`, on);
    expect(response.status).toBe(403);
    expect(await json(response)).toMatchObject({
      error: { message: 'The project belongs to region us; this deployment serves region eu.' },
    });
  });

  it('requires service.manage to manage a project', async () => {
    const project = await harness.createProject();
    const path = `${harness.url}/management/v1/projects/${project.id}/flags`;
    expect((await fetch(path)).status).toBe(401);
    const token = await harness.mint({ sub: 'ada', permissions: [] });
    const response = await fetch(path, { headers: { Authorization: `Bearer ${token}` } });
    expect(response.status).toBe(403);
  });
});
