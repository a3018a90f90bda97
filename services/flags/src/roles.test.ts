import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, startWorld, type TestProject, type World } from './testing/world.ts';

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await startWorld({ env: { ROLES: 'http' } });
  project = await world.createProject();
  const targeting = [{ attribute: 'plan', op: 'eq' as const, value: 'pro' }];
  await world.putFlag(project, { key: 'pro', enabled: true, rolloutPercentage: 100, targeting });
});
afterAll(() => world.stop());

const isPro = async (person: string) =>
  (await json(await world.get(`/v1/flags?distinct_id=${person}`, project.key)))['flags'];

describe('a process', () => {
  it('without the role user-state answers and leaves the calls to one that has it', async () => {
    await world.identify(project, 'ada', { plan: 'pro' });
    await sleep(300);
    expect(await isPro('ada')).toEqual({ pro: false });
    const applying = await world.startInstance({ ROLES: 'user-state' });
    await eventually(async () => expect(await isPro('ada')).toEqual({ pro: true }));
    await applying.stop();
  });

  it('without the role http answers only for its own state', async () => {
    const { url } = await world.startInstance({ ROLES: 'user-state' });
    const statusOf = async (path: string) => (await world.get(path, project.key, { url })).status;
    expect(await statusOf('/v1/flags?distinct_id=ada')).toBe(404);
    expect(await statusOf('/v1/flags/snapshot')).toBe(404);
    expect((await world.manage('GET', `/projects/${project.id}/flags`, undefined, url)).status).toBe(404);
    expect(await statusOf('/health/ready')).toBe(200);
    expect(await statusOf('/metrics')).toBe(200);
  });
});
