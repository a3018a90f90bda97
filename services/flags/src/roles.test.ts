import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { json, type TestProject, useFlags } from './testing/harness.ts';

const harness = await useFlags({ env: { ROLES: 'http' } });
let project: TestProject;
beforeAll(async () => {
  project = await harness.createProject();
  const targeting = [{ attribute: 'plan', op: 'eq' as const, value: 'pro' }];
  await harness.putFlag(project, { key: 'pro', enabled: true, rolloutPercentage: 100, targeting });
});

const isPro = async (person: string) =>
  (await json(await harness.get(`/v1/flags?distinct_id=${person}`, project.key)))['flags'];

describe('the roles of a process', () => {
  it('serves clients and applies no records without the role user-state', async () => {
    await harness.identify(project, 'ada', { plan: 'pro' });
    await sleep(300);
    expect(await isPro('ada')).toEqual({ pro: false });
    const applying = await harness.startInstance({ ROLES: 'user-state' });
    await eventually(async () => expect(await isPro('ada')).toEqual({ pro: true }));
    await applying.stop();
  });

  it('serves only health and metrics without the role http', async () => {
    const { url } = await harness.startInstance({ ROLES: 'user-state' });
    const statusOf = async (path: string) => (await harness.get(path, project.key, { url })).status;
    expect(await statusOf('/v1/flags?distinct_id=ada')).toBe(404);
    expect(await statusOf('/v1/flags/snapshot')).toBe(404);
    expect((await harness.manage('GET', `/projects/${project.id}/flags`, undefined, url)).status).toBe(404);
    expect(await statusOf('/health/ready')).toBe(200);
    expect(await statusOf('/metrics')).toBe(200);
  });
});
