import { afterAll } from 'vitest';
import { json, startHarness } from './harness.ts';

/** Starts flags with a project with a flag `pro`, which is on for people with the plan pro. Stops it after the tests. */
export async function useJoins() {
  const harness = await startHarness();
  afterAll(() => harness.stop());
  const project = await harness.createProject();
  const targeting = [{ attribute: 'plan', op: 'eq' as const, value: 'pro' }];
  await harness.putFlag(project, { key: 'pro', enabled: true, rolloutPercentage: 100, targeting });
  let ids = 0;
  return {
    harness,
    project,
    newId: (prefix: string) => `${prefix}-${++ids}`,

    /** Returns the flags of an id, after the calls of the state token. */
    async isPro(distinctId: string, token?: string): Promise<unknown> {
      const headers = token === undefined ? {} : { 'X-State-Token': token };
      const path = `/v1/flags?distinct_id=${distinctId}`;
      return (await json(await harness.get(path, project.key, { headers })))['flags'];
    },
  };
}
