import { beforeAll, describe, expect, it } from 'vitest';
import type { TestProject } from '../testing/harness.ts';
import { json, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
let project: TestProject;
beforeAll(async () => {
  project = await harness.createProject({ wires: ['posthog'] });
  const on = { enabled: true, rolloutPercentage: 100 };
  const targeted = (attribute: string) => [{ attribute, op: 'eq' as const, value: 'enterprise' }];
  const variations = [{ key: 'a', value: { size: 1 }, weight: 1 }];
  await harness.putFlag(project, { ...on, key: 'plan', targeting: targeted('plan') });
  await harness.putFlag(project, { ...on, key: 'company', targeting: targeted('group.company.plan') });
  await harness.putFlag(project, { ...on, key: 'size', type: 'json', variations });
});

const ask = (body: object, path = 'flags/?v=2') =>
  fetch(`${harness.url}/posthog/${path}`, { method: 'POST', body: JSON.stringify(body) });

// The request forms that the test harness of PostHog's SDKs asks of them: https://github.com/PostHog/posthog-sdk-test-harness.
describe('a flags request of PostHog', () => {
  const empty = { groups: {}, group_properties: {}, person_properties: {}, geoip_disable: false };
  it.each([
    ['with empty groups and properties', {}, { plan: false, company: false, size: 'a' }],
    ['without groups and properties', { groups: undefined, group_properties: null }, { plan: false }],
    ['with properties of the person', { person_properties: { plan: 'enterprise' } }, { plan: true }],
    ['with a device', { person_properties: { $device_id: 'device-1' } }, { plan: false }],
    [
      'with a group',
      { groups: { company: 'acme' }, group_properties: { company: { plan: 'enterprise' } } },
      { company: true },
    ],
    ['without the place of the address', { geoip_disable: true }, { size: 'a' }],
  ])('is answered %s', async (_, more, expected) => {
    const answer = await ask({ ...empty, token: project.key, distinct_id: 'user-1', ...more });
    expect([answer.status, await json(answer)]).toMatchObject([
      200,
      {
        featureFlags: expected,
        featureFlagPayloads: { size: '{"size":1}' },
        errorsWhileComputingFlags: false,
        flags: { size: { key: 'size', enabled: true, variant: 'a' } },
      },
    ]);
  });

  it('is answered with the asked flags alone, also with api_key and without the last slash', async () => {
    const body = { api_key: project.key, distinct_id: 'user-1', flag_keys_to_evaluate: ['size', 'unknown'] };
    const answer = await json(await ask(body, 'flags?v=2'));
    expect([Object.keys(Object(answer.flags)), answer.featureFlags]).toEqual([['size'], { size: 'a' }]);
  });

  it.each([
    ['no key', () => ({ distinct_id: 'user-1' }), 401],
    ['an unknown key', () => ({ token: 'phc_unknown', distinct_id: 'user-1' }), 401],
    ['no person', () => ({ token: project.key }), 400],
  ])('is refused for good with %s', async (_, bodyOf, status) => {
    const answer = await ask(bodyOf());
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([status, null]);
  });

  it('is refused where it asks for definitions, so that the SDK asks for flags instead', async () => {
    const answer = await fetch(`${harness.url}/posthog/flags/definitions?token=${project.key}`);
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([403, null]);
  });
});
