import { randomBytes } from 'node:crypto';
import { hashToken, newApiToken } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { json, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
const on = { enabled: true, rolloutPercentage: 100 };

let companies = 0;

async function twoProjects() {
  const companyId = `promoting-${++companies}`;
  const staging = await harness.createProject({ companyId });
  return { companyId, staging, live: await harness.createProject({ companyId }) };
}

describe('promoting a flag', () => {
  it('replaces the flag of the other project, and maps cohorts by their names', async () => {
    const { staging, live } = await twoProjects();
    const inCohort = [{ attribute: '', op: 'in_cohort' as const, value: ['c-staging', 'unknown'] }];
    await harness.putCohort(staging, 'c-staging', { name: 'Beta', distinctIds: ['ada'] });
    await harness.putCohort(live, 'c-live', { name: 'Beta', distinctIds: ['bob'] });
    const flag = { key: 'checkout', ...on, targeting: inCohort, rules: [{ targeting: inCohort }] };
    await harness.putFlag(staging, flag);
    const promoted = await promote(staging.id, 'checkout', { to: live.id, reason: 'Tested' });
    expect(promoted.status).toBe(200);
    expect(promoted.headers.get('ETag')).toBe('"1"');
    const mapped = [{ ...inCohort[0], value: ['c-live', 'unknown'] }];
    const expected = { ...flag, targeting: mapped, rules: [{ targeting: mapped }] };
    expect(await json(promoted)).toEqual(expected);
    const stored = await json(await harness.manage('GET', `/projects/${live.id}/flags/checkout`));
    expect(stored).toEqual(expected);
    const { versions } = await json(
      await harness.manage('GET', `/projects/${live.id}/flags/checkout/versions`),
    );
    expect(versions).toMatchObject([{ version: 1, author: 'operator', reason: 'Tested' }]);
    const ofBob = await json(await harness.get('/v1/flags?distinct_id=bob', live.key));
    expect(ofBob['flags']).toEqual({ checkout: true });
  });

  it('is refused without the cohort or the prerequisite there, and changes nothing', async () => {
    const { staging, live } = await twoProjects();
    await harness.putCohort(staging, 'beta', { name: 'Beta' });
    const targeting = [{ attribute: '', op: 'in_cohort' as const, value: 'beta' }];
    await harness.putFlag(staging, { key: 'base', ...on, targeting });
    const prerequisites = [{ flagKey: 'base', variationKey: 'on' }];
    await harness.putFlag(staging, { key: 'needs', ...on, prerequisites });
    const messageOf = async (key: string) => {
      const response = await promote(staging.id, key, { to: live.id });
      expect(response.status).toBe(409);
      return json(response);
    };
    expect(await messageOf('base')).toMatchObject({
      error: { message: 'The other project has no cohort "Beta". Create it there first.' },
    });
    expect(await messageOf('needs')).toMatchObject({
      error: { message: expect.stringContaining('prerequisites[0].flagKey: there is no flag "base"') },
    });
    await harness.putCohort(live, 'one', { name: 'Beta' });
    await harness.putCohort(live, 'two', { name: 'Beta' });
    expect(await messageOf('base')).toMatchObject({
      error: { message: 'The other project has 2 cohorts "Beta". Rename all but one.' },
    });
    expect(await json(await harness.manage('GET', `/projects/${live.id}/flags`))).toEqual({
      flags: [],
      lastChanges: [],
    });
  });

  it('is refused for a flag that changed there, and for an unknown flag', async () => {
    const { staging, live } = await twoProjects();
    for (const project of [staging, live]) await harness.putFlag(project, { key: 'f', ...on });
    await harness.putFlag(live, { key: 'f', ...on, enabled: false });
    expect((await promote(staging.id, 'f', { to: live.id, ifVersion: 1 })).status).toBe(412);
    expect((await promote(staging.id, 'f', { to: live.id, ifVersion: 2 })).status).toBe(200);
    expect((await promote(staging.id, 'g', { to: live.id })).status).toBe(404);
  });

  it('is refused for a project of another company or region', async () => {
    const { companyId, staging, live } = await twoProjects();
    const elsewhere = await harness.directory.putProject({ companyId, region: 'us' });
    const foreign = await harness.createProject();
    await eventually(async () => {
      expect((await harness.manage('GET', `/projects/${elsewhere.id}/flags`)).status).toBe(403);
    });
    await harness.putFlag(staging, { key: 'f', ...on });
    for (const [target, status] of [
      [foreign.id, 404],
      ['unknown', 404],
      [staging.id, 400],
      [elsewhere.id, 403],
      [live.id, 200],
    ] as const) {
      expect([target, (await promote(staging.id, 'f', { to: target })).status]).toEqual([target, status]);
    }
  });

  it('needs the permission in the other project too', async () => {
    const { companyId, staging, live } = await twoProjects();
    await harness.putFlag(staging, { key: 'f', ...on });
    const path = `${harness.url}/management/v1/projects/${staging.id}/flags/f/promotions`;
    const promoteWith = async (secret: string) => {
      const init = { method: 'POST', headers: { Authorization: `Bearer ${secret}` } };
      return (await fetch(path, { ...init, body: JSON.stringify({ to: live.id }) })).status;
    };
    const one = await putToken(companyId, [staging.id]);
    const both = await putToken(companyId, [staging.id, live.id]);
    await eventually(async () => expect(await promoteWith(both)).toBe(200));
    expect(await promoteWith(one)).toBe(403);
  });
});

/** Publishes a service token for projects of a company. Returns its value. */
async function putToken(companyId: string, projectIds: string[]): Promise<string> {
  const id = `tok_${randomBytes(16).toString('hex')}`;
  const value = newApiToken('service', id);
  await harness.directory.put('token', {
    id,
    companyId,
    kind: 'service',
    sub: null,
    permissions: ['flags.write'],
    projectIds,
    hashes: [{ hash: hashToken(value), until: null }],
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  return value;
}

function promote(projectId: string, key: string, body: unknown): Promise<Response> {
  return harness.manage('POST', `/projects/${projectId}/flags/${key}/promotions`, body);
}
