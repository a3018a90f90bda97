import { beforeAll, describe, expect, test } from 'vitest';
import { json, type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
let project: TestProject;
beforeAll(async () => {
  project = await harness.createProject();
  const on = { enabled: true, rolloutPercentage: 100 };
  await harness.putFlag(project, { key: 'everyone', ...on });
  await harness.putFlag(project, { key: 'nobody', enabled: false, rolloutPercentage: 100 });
  await harness.putFlag(project, { key: 'none yet', ...on, rolloutPercentage: 0 });
  const prerequisites = [{ flagKey: 'nobody', variationKey: 'on' }];
  await harness.putFlag(project, { key: 'after no one', ...on, prerequisites });
  await harness.putFlag(project, {
    key: 'pro',
    ...on,
    type: 'string',
    targeting: [{ attribute: 'plan', op: 'eq', value: 'pro' }],
    variations: [{ key: 'gold', value: '#fd0', weight: 1 }],
  });
  await harness.putFlag(project, {
    key: 'large companies',
    ...on,
    targeting: [{ attribute: 'group.company.employees', op: 'gt', value: 50 }],
  });
  await harness.putFlag(project, {
    key: 'split',
    ...on,
    type: 'json',
    variations: [
      { key: 'a', value: { steps: 3 }, weight: 1 },
      { key: 'b', value: { steps: 3 }, weight: 1 },
    ],
  });
  await harness.identify(project, 'ada', { plan: 'pro' });
  await harness.group(project, 'ada', { id: 'acme', traits: { employees: 80 } });
  await harness.settled();
});

interface Ask {
  headers?: Record<string, string>;
  /** The project's key by default. */
  key?: string | undefined;
}

const post = (path: string, body: unknown, { headers = {}, key = project.key }: Ask = {}) =>
  fetch(`${harness.url}/ofrep/v1/evaluate/flags${path}`, {
    method: 'POST',
    headers: { ...(key === '' ? {} : { Authorization: `Bearer ${key}` }), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const evaluate = async (key: string, context: object) =>
  json(await post(`/${encodeURIComponent(key)}`, { context }));

describe('one flag', () => {
  test('returns the value, variant and reason of a flag for the stored user state', async () => {
    const ada = { targetingKey: 'ada' };
    expect(await evaluate('everyone', ada)).toEqual({
      key: 'everyone',
      value: true,
      reason: 'STATIC',
      variant: 'on',
    });
    const gold = { key: 'pro', value: '#fd0', reason: 'TARGETING_MATCH', variant: 'gold' };
    expect(await evaluate('pro', ada)).toEqual(gold);
    expect(await evaluate('large companies', ada)).toMatchObject({ value: true, reason: 'TARGETING_MATCH' });
    expect(await evaluate('split', ada)).toMatchObject({ value: { steps: 3 }, reason: 'SPLIT' });
  });

  test('returns false for a boolean flag that is off, for whatever reason', async () => {
    const off = (key: string, exact: string) => ({
      key,
      value: false,
      reason: 'DISABLED',
      variant: 'off',
      metadata: { reason: exact },
    });
    const bob = { targetingKey: 'bob' };
    const expected = [
      off('nobody', 'DISABLED'),
      off('none yet', 'ROLLOUT_MISS'),
      off('large companies', 'TARGETING_MISS'),
      off('after no one', 'PREREQUISITE_FAILED'),
    ];
    for (const one of expected) expect(await evaluate(one.key, bob)).toEqual(one);
    const { flags } = Object(await json(await post('', { context: bob })));
    expect(flags).toEqual(expect.arrayContaining(expected));
    const values = Object(await json(await harness.get('/v1/flags?distinct_id=bob', project.key)))['flags'];
    for (const { key } of expected) expect(values[key]).toBe(false);
  });

  test('returns no value for a flag of another type that is off, so that the default of the code applies', async () => {
    expect(await evaluate('pro', { targetingKey: 'bob' })).toEqual({
      key: 'pro',
      reason: 'DISABLED',
      variant: 'off',
      metadata: { reason: 'TARGETING_MISS' },
    });
  });

  test('evaluates a flag with the attributes of the context on top of the stored state, without changing it', async () => {
    expect(await evaluate('pro', { targetingKey: 'ada', plan: 'free' })).not.toHaveProperty('value');
    expect(await evaluate('pro', { targetingKey: 'ada', plan: null })).not.toHaveProperty('value');
    expect(await evaluate('pro', { targetingKey: 'bob', plan: 'pro' })).toMatchObject({ value: '#fd0' });
    const small = { targetingKey: 'ada', 'group.company.employees': 3 };
    expect(await evaluate('large companies', small)).toMatchObject({ value: false });
    const proto = JSON.parse('{"targetingKey":"bob","__proto__":{"plan":"pro"}}');
    expect(await evaluate('pro', proto)).not.toHaveProperty('value');
    expect(await evaluate('pro', { targetingKey: 'ada' })).toMatchObject({ value: '#fd0' });
  });
});

describe('all flags', () => {
  test('returns the same flags as single requests, with an ETag that depends on the context', async () => {
    const context = { targetingKey: 'ada' };
    const response = await post('', { context });
    const { flags, metadata } = await json(response);
    const keys = ['after no one', 'everyone', 'large companies', 'nobody', 'none yet', 'pro', 'split'];
    expect(flags).toEqual(await Promise.all(keys.map((key) => evaluate(key, context))));
    const snapshot = await json(await harness.get('/v1/flags/snapshot', project.key));
    expect(metadata).toEqual({ generatedAt: snapshot['generatedAt'] });

    const headers = { 'If-None-Match': response.headers.get('etag') ?? '' };
    const again = await post('', { context }, { headers });
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([
      304,
      '',
      headers['If-None-Match'],
    ]);
    expect((await post('', { context: { ...context, plan: 'free' } }, { headers })).status).toBe(200);
  });

  test('names the stream of changes at the public address', async () => {
    const { eventStreams } = await json(await post('', { context: { targetingKey: 'ada' } }));
    const url = `https://api.test/base/ofrep/v1/changes?api_key=${project.key}`;
    expect(eventStreams).toEqual([{ type: 'sse', url, inactivityDelaySec: 120 }]);
  });

  test('returns the change that an event announced, also on an instance that missed it', async () => {
    const changedAt = '2099-01-01T00:00:00.000Z';
    const other = await harness.createProject();
    await post('', { context: { targetingKey: 'ada' } }, { key: other.key });
    await harness.sql`
      insert into rulesets (project_id, changed_at) values (${other.id}, ${changedAt})
      on conflict (project_id) do update set changed_at = excluded.changed_at`;
    const generatedAt = async (query: string) => {
      const response = await post(query, { context: { targetingKey: 'ada' } }, { key: other.key });
      return Object(await json(response))['metadata'].generatedAt;
    };
    expect(await generatedAt('')).not.toBe(changedAt);
    expect(await generatedAt('?flagConfigEtag=nonsense')).not.toBe(changedAt);
    expect(await generatedAt(`?flagConfigEtag=${changedAt}`)).toBe(changedAt);
  });
});

describe('a refused OFREP request', () => {
  test.each([
    ['no context', {}, 'TARGETING_KEY_MISSING'],
    ['no targeting key', { context: { plan: 'pro' } }, 'TARGETING_KEY_MISSING'],
    ['an empty targeting key', { context: { targetingKey: '' } }, 'TARGETING_KEY_MISSING'],
    ['a context that is no object', { context: 'ada' }, 'INVALID_CONTEXT'],
    ['a targeting key that is no text', { context: { targetingKey: 7 } }, 'INVALID_CONTEXT'],
    ['a targeting key that is too long', { context: { targetingKey: 'x'.repeat(201) } }, 'INVALID_CONTEXT'],
    ['an attribute with NUL', { context: { targetingKey: 'ada', plan: 'a\0' } }, 'INVALID_CONTEXT'],
    ['no JSON', 'nonsense', 'PARSE_ERROR'],
    ['nothing', '', 'PARSE_ERROR'],
  ])('refuses a request with %s in the form of the protocol', async (_, body, errorCode) => {
    const one = await post('/everyone', body);
    expect(one.status).toBe(400);
    expect(await one.json()).toEqual({ key: 'everyone', errorCode, errorDetails: expect.any(String) });
    const all = await post('', body);
    expect(all.status).toBe(400);
    expect(await all.json()).toEqual({ errorCode, errorDetails: expect.any(String) });
  });

  test('answers FLAG_NOT_FOUND for an unknown flag and for one of another project', async () => {
    const other = await harness.createProject();
    await harness.putFlag(other, { key: 'theirs', enabled: true, rolloutPercentage: 100 });
    for (const key of ['missing', 'theirs', 'toString', 'x'.repeat(1_000)]) {
      const response = await post(`/${key}`, { context: { targetingKey: 'ada' } });
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ key, errorCode: 'FLAG_NOT_FOUND' });
    }
  });

  test('answers GENERAL without a key, with a wrong one or one of another region, and for a body that is too large', async () => {
    const abroad = await harness.createProject({ region: 'us' });
    const body = { context: { targetingKey: 'ada' } };
    const refused = async (sent: unknown, key: string) => {
      const response = await post('/everyone', sent, { key });
      expect(await response.json()).toMatchObject({ errorCode: 'GENERAL' });
      return response.status;
    };
    expect(await refused(body, '')).toBe(401);
    expect(await refused(body, 'pk_eu_nonsense')).toBe(401);
    expect(await refused(body, abroad.key)).toBe(403);
    expect(await refused({ context: { targetingKey: 'a', x: 'x'.repeat(300_000) } }, project.key)).toBe(413);
  });
});

describe('an OFREP request', () => {
  test('accepts a key in X-API-Key', async () => {
    const body = { context: { targetingKey: 'ada' } };
    const headers = { 'X-API-Key': project.key };
    expect((await post('', body, { headers, key: '' })).status).toBe(200);
    expect((await post('', body, { headers: { 'X-API-Key': 'nonsense' }, key: '' })).status).toBe(401);
  });

  test('allows requests from a page of any origin', async () => {
    const preflight = await fetch(`${harness.url}/ofrep/v1/evaluate/flags`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' },
    });
    const allowed = (name: string) => preflight.headers.get(`access-control-allow-${name}`);
    expect(allowed('origin')).toBe('*');
    expect(allowed('methods')).toContain('POST');
    for (const name of ['Authorization', 'X-API-Key', 'If-None-Match', 'Content-Type'])
      expect(allowed('headers')).toContain(name);
    const response = await post('', { context: { targetingKey: 'ada' } });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toContain('ETag');
  });
});
