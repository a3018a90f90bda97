import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { acme, type Instance, pro, useCatalogue } from '../testing/harness.ts';

const { catalogue, one } = await useCatalogue();
let other: Instance;
beforeAll(async () => {
  other = await catalogue.instance();
});

const tiers = async (instance: Instance) =>
  (await instance.get('/v1/plans')).body.plans.map((plan: { tier: string }) => plan.tier);

describe('the plan catalogue', () => {
  it('returns an empty list of plans at first', async () => {
    const { status, body, headers } = await one.get('/v1/plans', { Origin: 'https://any.example' });
    expect(status).toBe(200);
    expect(body).toEqual({ plans: [] });
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(headers.get('access-control-allow-origin')).toBe('*');
  });

  it('lists plans in the order they were first created, also when one is replaced', async () => {
    for (const tier of ['zeta', 'alpha', 'mid']) await one.put(`/plans/${tier}/monthly`, pro);
    await one.put('/plans/zeta/monthly', { ...pro, trialDays: 30 });
    expect(await tiers(one)).toEqual(['zeta', 'alpha', 'mid']);
    expect((await one.get('/v1/plans')).body.plans[0]).toEqual({
      tier: 'zeta',
      cycle: 'monthly',
      ...pro,
      trialDays: 30,
    });
  });

  it('shows a change of a plan at once on its own instance, and soon on every other', async () => {
    await one.put('/plans/fresh/yearly', pro);
    expect(await tiers(one)).toContain('fresh');
    await eventually(async () => expect(await tiers(other)).toContain('fresh'));
    await other.remove('/plans/fresh/yearly');
    await eventually(async () => expect(await tiers(one)).not.toContain('fresh'));
  });

  it('answers 304 to the ETag of the plans until they change', async () => {
    const etag = (await one.get('/v1/plans')).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[^"]+"$/);
    const same = await one.get('/v1/plans', { 'If-None-Match': etag });
    expect(same.status).toBe(304);
    expect(same.body).toBeUndefined();
    expect(same.headers.get('cache-control')).toBe('public, max-age=300');
    await one.put('/plans/etag/monthly', pro);
    expect((await one.get('/v1/plans', { 'If-None-Match': etag })).status).toBe(200);
  });

  it('keeps entitlements of a plan as stored', async () => {
    const entitlements = { z: [1, { b: null, a: 'ü' }], articleSearch: false, a: 1.5 };
    await one.put('/plans/odd/monthly', { ...pro, entitlements });
    const { body } = await one.get('/v1/plans');
    const stored = body.plans.find((plan: { tier: string }) => plan.tier === 'odd').entitlements;
    expect(JSON.parse(JSON.stringify(stored))).toEqual(entitlements);
  });
});

describe('managing plans', () => {
  it.each([
    ['trialDays', { ...pro, trialDays: -1 }],
    ['trialDays', { ...pro, trialDays: 2 ** 31 }],
    ['priced', { ...pro, priced: 'yes' }],
    ['entitlements', { trialDays: 1, priced: true }],
    ['entitlements.articleSearch', { ...pro, entitlements: { articleSearch: 1 } }],
  ])('rejects a plan with a wrong %s', async (path, body) => {
    const answer = await one.put('/plans/bad/monthly', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.code).toBe('BAD_REQUEST');
    expect(answer.body.error.message).toMatch(new RegExp(`^${path}: `));
    expect(await tiers(one)).not.toContain('bad');
  });

  it('rejects entitlements too large for the event log', async () => {
    const entitlements = `{"text":"${'x'.repeat(150_000)}","many":[${Array(9_000).fill('1e20').join()}]}`;
    const many = `{"trialDays":1,"priced":true,"entitlements":${entitlements}}`;
    const answer = await one.put('/plans/bad/monthly', many);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(/^entitlements: /);
  });

  it('rejects invalid JSON', async () => {
    expect((await one.put('/plans/bad/monthly', '{')).status).toBe(400);
  });

  it('returns a plan', async () => {
    await one.put('/plans/pro/monthly', pro);
    expect((await one.manage('GET', '/plans/pro/monthly')).body).toEqual({
      tier: 'pro',
      cycle: 'monthly',
      ...pro,
    });
    expect((await one.manage('GET', '/plans/pro/weekly')).status).toBe(404);
  });

  it('refuses to remove a plan that a company is on', async () => {
    await one.put('/plans/pro/monthly', pro);
    await one.put('/companies/acme', acme);
    const refused = await one.remove('/plans/pro/monthly');
    expect(refused.status).toBe(409);
    expect(refused.body.error).toMatchObject({ code: 'CONFLICT' });
    await one.remove('/companies/acme');
    expect((await one.remove('/plans/pro/monthly')).status).toBe(204);
    expect((await one.remove('/plans/pro/monthly')).status).toBe(204);
  });

  it('requires a token with service.manage to manage plans', async () => {
    const { tokens } = catalogue;
    const path = '/plans/pro/monthly';
    const without = await one.manage('PUT', path, pro, null);
    expect(without.status).toBe(401);
    expect(without.headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect((await one.manage('PUT', path, '{', 'nonsense')).status).toBe(401);
    const expired = await tokens.mint({ sub: 'op', permissions: ['service.manage'], expiresInSeconds: -60 });
    expect((await one.manage('PUT', path, pro, expired)).status).toBe(401);
    const powerless = await one.manage('PUT', path, '{', await tokens.mint({ sub: 'ada' }));
    expect(powerless.status).toBe(403);
    expect(powerless.body.error.code).toBe('FORBIDDEN');
  });
});
