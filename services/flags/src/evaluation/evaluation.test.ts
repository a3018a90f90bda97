import { eventually } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { json, type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();

const on = { enabled: true, rolloutPercentage: 100 };

async function evaluate(project: TestProject, distinctId: string) {
  const query = `distinct_id=${encodeURIComponent(distinctId)}&reasons=true`;
  const response = await harness.get(`/v1/flags?${query}`, project.key);
  expect(response.status).toBe(200);
  return json(response);
}

describe('GET /v1/flags', () => {
  it('returns values, variation keys and reasons', async () => {
    const project = await harness.createProject();
    await harness.putFlag(project, { key: 'plain', ...on });
    await harness.putFlag(project, {
      key: 'colour',
      ...on,
      type: 'string',
      variations: [
        { key: 'green', value: '#0a0', weight: 1 },
        { key: 'blue', value: '#00a', weight: 0 },
      ],
    });
    await harness.putFlag(project, { key: 'off', enabled: false, rolloutPercentage: 100 });
    await harness.putFlag(project, { key: 'off-json', enabled: false, rolloutPercentage: 100, type: 'json' });
    await harness.putFlag(project, { key: 'nobody', enabled: true, rolloutPercentage: 0 });
    expect(await evaluate(project, 'ada')).toEqual({
      flags: { plain: true, colour: '#0a0', off: false, 'off-json': null, nobody: false },
      variants: { colour: 'green' },
      reasons: {
        plain: 'MATCH',
        colour: 'MATCH',
        off: 'DISABLED',
        'off-json': 'DISABLED',
        nobody: 'ROLLOUT_MISS',
      },
      rules: {},
    });
  });

  it('serves the first rule that includes the person, and otherwise decides as without rules', async () => {
    const project = await harness.createProject();
    const variations = ['a', 'b'].map((key, index) => ({ key, value: key, weight: 1 - index }));
    const flag = { key: 'checkout', ...on, type: 'string' as const, variations };
    const staff = { name: 'Staff', targeting: [{ attribute: 'staff', op: 'eq', value: true } as const] };
    const free = [{ attribute: 'plan', op: 'eq', value: 'free' } as const];
    const rules = [
      { ...staff, variation: 'b' },
      { targeting: free, rolloutPercentage: 0 },
    ];
    await harness.putFlag(project, { ...flag, rolloutPercentage: 0, rules });
    await harness.identify(project, 'ada', { staff: true });
    await harness.identify(project, 'bob', { plan: 'free' });
    await eventually(async () => {
      expect(await evaluate(project, 'ada')).toEqual({
        flags: { checkout: 'b' },
        variants: { checkout: 'b' },
        reasons: { checkout: 'MATCH' },
        rules: { checkout: 'Staff' },
      });
    });
    const missed = {
      flags: { checkout: null },
      variants: {},
      reasons: { checkout: 'ROLLOUT_MISS' },
      rules: {},
    };
    expect(await evaluate(project, 'bob')).toEqual(missed);
    await harness.putFlag(project, { ...flag, rules: [{ targeting: [], variation: 'b' }] });
    await eventually(async () =>
      expect((await evaluate(project, 'bob')).rules).toEqual({ checkout: 'rules[0]' }),
    );
  });

  it('omits reasons unless requested, and returns empty objects for a project without flags', async () => {
    const project = await harness.createProject();
    const response = await harness.get('/v1/flags?distinct_id=ada', project.key);
    expect(await response.text()).toBe('{"flags":{},"variants":{}}');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(response.headers.get('x-state')).toBeNull();
    expect(response.headers.get('vary')).toContain('Authorization');
  });

  it('evaluates traits and prerequisites', async () => {
    const project = await harness.createProject();
    const targeting = [{ attribute: 'plan', op: 'eq', value: 'pro' } as const];
    await harness.putFlag(project, { key: 'pro', ...on, targeting });
    await harness.putFlag(project, {
      key: 'more',
      ...on,
      prerequisites: [{ flagKey: 'pro', variationKey: 'on' }],
    });
    expect((await evaluate(project, 'ada')).reasons).toEqual({
      pro: 'TARGETING_MISS',
      more: 'PREREQUISITE_FAILED',
    });
    await harness.identify(project, 'ada', { plan: 'pro' });
    await eventually(async () =>
      expect((await evaluate(project, 'ada')).flags).toEqual({ pro: true, more: true }),
    );
    expect((await evaluate(project, 'eve')).flags).toEqual({ pro: false, more: false });
  });

  it("evaluates the traits of a person's group", async () => {
    const project = await harness.createProject();
    const targeting = [{ attribute: 'group.company.seats', op: 'gte', value: 10 } as const];
    await harness.putFlag(project, { key: 'large', ...on, targeting });
    await harness.group(project, 'ada', { id: 'acme', traits: { seats: 40 } });
    await harness.group(project, 'eve', { id: 'small', traits: { seats: 2 } });
    await eventually(async () => expect((await evaluate(project, 'ada')).flags).toEqual({ large: true }));
    expect((await evaluate(project, 'eve')).flags).toEqual({ large: false });
    await harness.group(project, 'ada', { id: null });
    await eventually(async () => expect((await evaluate(project, 'ada')).flags).toEqual({ large: false }));
  });

  it('evaluates cohorts by list and by clause', async () => {
    const project = await harness.createProject();
    const inBeta = [{ attribute: '', op: 'in_cohort', value: 'beta' } as const];
    await harness.putFlag(project, { key: 'beta', ...on, targeting: inBeta });
    await harness.putCohort(project, 'beta', {
      name: 'Beta',
      match: [{ attribute: 'email', op: 'contains', value: '@example.com' }],
      distinctIds: ['ada'],
    });
    await harness.identify(project, 'eve', { email: 'eve@example.com' });
    await eventually(async () => expect((await evaluate(project, 'eve')).flags).toEqual({ beta: true }));
    expect((await evaluate(project, 'ada')).flags).toEqual({ beta: true });
    expect((await evaluate(project, 'joe')).flags).toEqual({ beta: false });
  });

  it('treats an empty distinct_id as unknown, and rejects a missing or blank one', async () => {
    const project = await harness.createProject();
    await harness.putFlag(project, { key: 'half', enabled: true, rolloutPercentage: 99 });
    expect((await evaluate(project, '')).reasons).toEqual({ half: 'ROLLOUT_MISS' });
    const response = await harness.get('/v1/flags', project.key);
    expect(response.status).toBe(400);
    expect(await json(response)).toMatchObject({ statusCode: 400, message: 'distinct_id: required' });
    for (const path of ['/v1/flags', '/v1/flags/memberships']) {
      const blank = await harness.get(`${path}?distinct_id=%20%09`, project.key);
      expect(blank.status).toBe(400);
      expect(await json(blank)).toMatchObject({ message: 'distinct_id: only white space' });
    }
  });

  it('isolates a flag that cannot be evaluated', async () => {
    const project = await harness.createProject();
    await harness.putFlag(project, { key: 'good', ...on });
    const broken = { key: 'broken', enabled: true, rolloutPercentage: 'half', type: 'string' };
    await harness.sql`insert into flags values (${project.id}, 'broken', ${JSON.stringify(broken)}::text::json)`;
    await harness.sql`update rulesets set changed_at = now() where project_id = ${project.id}`;
    await harness.sql`select pg_notify('ruleset_changed', ${project.id})`;
    await eventually(async () => {
      const { flags, reasons } = await evaluate(project, 'ada');
      expect(flags).toEqual({ good: true, broken: null });
      expect(reasons).toEqual({ good: 'MATCH', broken: 'ERROR' });
    });
  });

  it('escapes keys and values', async () => {
    const project = await harness.createProject();
    const value = { 'a"b': ['\u2028', '\\', '😀'], __proto__x: null };
    await harness.putFlag(project, {
      key: 'quo"te/\\',
      ...on,
      type: 'json',
      variations: [{ key: 'v"1', value, weight: 1 }],
    });
    expect(await evaluate(project, 'ada')).toEqual({
      flags: { 'quo"te/\\': value },
      variants: { 'quo"te/\\': 'v"1' },
      reasons: { 'quo"te/\\': 'MATCH' },
      rules: {},
    });
  });
});

describe('GET /v1/flags/memberships', () => {
  it('lists the cohorts that list or match the person, sorted', async () => {
    const project = await harness.createProject();
    const pro = [{ attribute: 'plan', op: 'eq', value: 'pro' } as const];
    await harness.putCohort(project, 'b', { name: 'named', distinctIds: ['ada'] });
    await harness.putCohort(project, 'a', { name: 'matched', match: pro });
    await harness.putCohort(project, 'c', { name: 'both', match: pro, distinctIds: ['ada', 'ada'] });
    await harness.putCohort(project, 'd', { name: 'neither' });
    const of = async (id: string) =>
      json(await harness.get(`/v1/flags/memberships?distinct_id=${id}`, project.key));
    expect(await of('ada')).toEqual({ cohorts: ['b', 'c'] });
    await harness.identify(project, 'ada', { plan: 'pro' });
    await eventually(async () => expect(await of('ada')).toEqual({ cohorts: ['a', 'b', 'c'] }));
    expect(await of('')).toEqual({ cohorts: [] });
  });
});
