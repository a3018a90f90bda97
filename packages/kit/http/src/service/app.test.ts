import { ReadOnlyDatabase } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listen } from '../server/server.ts';
import { json, KEY, OTHER_REGION_KEY, startTestApp, type TestApp } from '../testing/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.stop());

const call = (path: string, init: RequestInit = {}) => fetch(`${test.url}${path}`, init);
const withKey = (key: string) => ({ headers: { Authorization: `Bearer ${key}` } });
const withToken = async (claims: Parameters<TestApp['tokens']['mint']>[0]) =>
  withKey(await test.tokens.mint(claims));

describe('a project key', () => {
  it.each([
    ['missing', {}],
    ['malformed', withKey('pk_eu_short')],
    ['unknown', withKey(`pk_eu_${'z'.repeat(32)}`)],
    ['not a bearer token', { headers: { Authorization: `Basic ${KEY}` } }],
  ])('a project key that is %s gets 401 in shape A', async (_, init) => {
    const response = await call('/things/x', init);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await json(response)).toMatchObject({ statusCode: 401, error: 'Unauthorized' });
  });

  it('a project key of another region gets 403', async () => {
    const response = await call('/things/x', withKey(OTHER_REGION_KEY));
    expect(response.status).toBe(403);
    expect(await json(response)).toMatchObject({ statusCode: 403, error: 'Forbidden' });
  });

  it('a valid project key reaches its project, and the response varies by it', async () => {
    const response = await call('/things/caf%C3%A9?count=2', withKey(KEY));
    expect(response.status).toBe(200);
    expect(response.headers.get('vary')).toContain('Authorization');
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await json(response)).toEqual({
      name: 'café',
      count: 2,
      project: { id: 'p1', companyId: 'c1', region: 'eu' },
    });
  });

  it('accepts api_key in the body of an ingestion call, with precedence for the header', async () => {
    const send = (body: unknown, init: RequestInit = {}) =>
      call('/beacon', { method: 'POST', body: JSON.stringify(body), ...init });
    expect((await send({ n: 1, api_key: KEY })).status).toBe(200);
    expect((await send({ n: 1, api_key: KEY }, withKey(OTHER_REGION_KEY))).status).toBe(403);
    expect((await send({ n: 1, api_key: 7 })).status).toBe(401);
  });

  it('checks a project key before the body', async () => {
    const response = await call('/things/x', { method: 'POST', body: '{' });
    expect(response.status).toBe(401);
  });
});

describe('an access token', () => {
  it('a missing access token gets 401 in shape B with WWW-Authenticate', async () => {
    const response = await call('/projects/p1');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect(await json(response)).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
  });

  it('the access token of a member reaches the project', async () => {
    const response = await call(
      '/projects/p1',
      await withToken({ sub: 'ada', name: 'Ada', permissions: ['x'] }),
    );
    expect(await json(response)).toEqual({
      project: { id: 'p1', companyId: 'c1', region: 'eu' },
      person: { sub: 'ada', name: 'Ada', permissions: ['x'] },
    });
  });

  it.each([
    ['a member of another company', 'grace', 404],
    ['a person of no company', 'eve', 403],
  ])(
    'the access token of %s gets the same response for a project that exists and one that does not',
    async (_, sub, is) => {
      const [theirs, none] = [
        await call('/projects/p1', await withToken({ sub })),
        await call('/projects/p9', await withToken({ sub })),
      ];
      expect([theirs.status, await theirs.text()]).toEqual([is, await none.text()]);
      expect(none.status).toBe(is);
    },
  );

  it('an access token without service.manage cannot open the management API', async () => {
    const response = await call('/management/v1/thing', {
      method: 'PUT',
      ...(await withToken({ sub: 'ada' })),
    });
    expect(response.status).toBe(403);
  });
});

describe('an operation of the console', () => {
  const everything = { permissions: ['service.manage'] };

  it('opens an operation of the console to the roles that have its permission, and forbids storing responses', async () => {
    const look = await call('/projects/p1/look', await withToken({ sub: 'ada' }));
    expect([look.status, look.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect((await call('/projects/p1/touch', await withToken({ sub: 'ada' }))).status).toBe(403);
  });

  it('ignores the permissions of the token for an operation of the console', async () => {
    const look = await call('/projects/p1/look', await withToken({ sub: 'ada', ...everything }));
    expect(await json(look)).toEqual({ sub: 'ada' });
    expect((await call('/projects/p1/touch', await withToken({ sub: 'ada', ...everything }))).status).toBe(
      403,
    );
  });

  it('gives a stranger the same response for a project that exists and one that does not', async () => {
    const stranger = await withToken({ sub: 'eve', ...everything });
    const [theirs, none] = [
      await call('/projects/p1/look', stranger),
      await call('/projects/p9/look', stranger),
    ];
    expect([theirs.status, await theirs.text()]).toEqual([403, await none.text()]);
  });

  it('lets only pages of the console read an operation of the console', async () => {
    const from = (origin: string) => ({ method: 'OPTIONS', headers: { Origin: origin } });
    const ours = await call('/projects/p1/look', from('https://console.example'));
    expect(ours.headers.get('access-control-allow-origin')).toBe('https://console.example');
    expect(ours.headers.get('access-control-allow-headers')).toContain('If-Match');
    const other = await call('/projects/p1/look', from('https://evil.example'));
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('errors', () => {
  it('names the path of the field and the problem in an error', async () => {
    const post = async (body: string) => {
      const response = await call('/things/x', { method: 'POST', body, ...withKey(KEY) });
      return [response.status, (await json(response)).message];
    };
    expect(await post('{"items":[{"size":1},{"size":"2"}]}')).toEqual([
      400,
      'items[1].size: must be a number',
    ]);
    expect(await post('{"items":[],"more":1}')).toEqual([
      400,
      'body: unknown property "more"; known are items',
    ]);
    expect(await post('{"itmes":[],"items":[]}')).toEqual([
      400,
      'body: unknown property "itmes"; did you mean "items"?',
    ]);
    expect(await post('{"items":[{"size":1,"colour":2}]}')).toEqual([200, undefined]);
    expect(await post('{}')).toEqual([400, 'items: required']);
    expect(await post('{')).toEqual([400, 'body: not valid JSON']);
    expect(await post('')).toEqual([400, 'body: not valid JSON']);
  });

  it('names every problem at once in errors of the console and of management, and unknown properties at any depth first', async () => {
    const put = async (body: unknown) => {
      const response = await call('/management/v1/thing', {
        method: 'PUT',
        body: JSON.stringify(body),
        ...(await withToken({ sub: 'ops', permissions: ['service.manage'] })),
      });
      return [response.status, (await json(response)).error.message];
    };
    expect(await put({ items: [{ size: 1, sise: 2 }, { size: 'x' }], item: 1 })).toEqual([
      400,
      'items[0]: unknown property "sise"; did you mean "size"?; body: unknown property "item"; did you mean "items"?; items[1].size: must be a number',
    ]);
    expect(await put({ items: Array(20).fill({}) })).toEqual([
      400,
      `${Array.from({ length: 10 }, (_, index) => `items[${index}].size: required`).join('; ')}; and more`,
    ]);
  });

  it('sends an empty body and X-Error where the interface specifies them', async () => {
    const response = await call('/beacon', { method: 'POST', body: '{"n":"é"}', ...withKey(KEY) });
    expect([response.status, await response.text()]).toEqual([400, '']);
    expect(response.headers.get('x-error')).toBe('n: must be a number');
  });

  it('answers 500 with only the request id for a defect', async () => {
    const response = await call('/management/v1/thing', {
      method: 'PUT',
      body: '{"items":[]}',
      headers: {
        Authorization: `Bearer ${await test.tokens.mint({ sub: 'ops', permissions: ['service.manage'] })}`,
        'X-Request-Id': 'trace-1',
      },
    });
    expect(response.status).toBe(500);
    expect(await json(response)).toEqual({
      error: { code: 'INTERNAL', message: 'Internal error. Report request id trace-1.' },
    });
  });

  it('answers 404 for an unknown path, and 405 with Allow for an unsupported method', async () => {
    const nothing = await call('/nothing');
    expect([nothing.status, (await json(nothing)).error.code]).toEqual([404, 'NOT_FOUND']);
    const wrong = await call('/things/x', { method: 'DELETE' });
    expect([wrong.status, wrong.headers.get('allow'), (await json(wrong)).statusCode]).toEqual([
      405,
      'GET, POST, HEAD',
      405,
    ]);
  });
});

describe('the address of a request', () => {
  it('answers 400 for an address that is not UTF-8, and names the parameter', async () => {
    const messageOf = async (path: string, init?: RequestInit) => {
      const response = await call(path, init);
      const { message, error } = await json(response);
      return [response.status, message ?? error.message];
    };
    const ada = await withToken({ sub: 'ada' });
    const key = withKey(KEY);
    for (const sent of ['%ff', '%ED%A0%80', '%C3', '%', '%zz']) {
      const wrong = (name: string) => [400, `${name}: not percent-encoded UTF-8`];
      expect(await messageOf(`/things/a${sent}b`, key)).toEqual(wrong('name'));
      expect(await messageOf(`/things/a?x=1&count=${sent}`, key)).toEqual(wrong('count'));
      expect(await messageOf(`/things/a?${sent}=1`, key)).toEqual(wrong('query'));
      expect(await messageOf(`/projects/${sent}`, ada)).toEqual(wrong('projectId'));
    }
    expect(await messageOf('/projects/a%00b', ada)).toEqual([400, 'projectId: contains a NUL character']);
    // The credential is checked first.
    for (const path of ['/things/%ff', '/projects/a%00b']) expect((await call(path)).status).toBe(401);
    expect((await call('/things/100%25%20%C3%A9?x=%F0%9F%98%80+%2B', key)).status).toBe(200);
  });
});

describe('a JSON body', () => {
  it('accepts a byte order mark at the start of a JSON body', async () => {
    const post = (path: string, body: string) => call(path, { method: 'POST', body, ...withKey(KEY) });
    expect(await json(await post('/things/x', '\ufeff{"items":[]}'))).toEqual({ items: [] });
    expect((await post('/beacon', '\ufeff{"n":1}')).status).toBe(200);
    expect((await post('/beacon', '\ufeff\ufeff{"n":1}')).status).toBe(400);
  });
});

describe('the headers and metrics of every response', () => {
  it("sends X-Request-Id with every response, and keeps the caller's if it is valid", async () => {
    const own = await call('/things/x', { headers: { 'X-Request-Id': 'A.b_c-1' } });
    expect(own.headers.get('x-request-id')).toBe('A.b_c-1');
    const unfit = await call('/nothing', { headers: { 'X-Request-Id': 'a b' } });
    expect(unfit.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('counts every response by route and status', async () => {
    await call('/things/counted', withKey(KEY));
    const metrics = await (await call('/metrics')).text();
    expect(metrics).toMatch(
      /switchboard_http_requests_total\{[^}]*route="\/things\/\{name\}"[^}]*status="200"/,
    );
    expect(metrics).toContain('switchboard_bytes_in_flight');
    expect(metrics).not.toContain('/things/counted');
  });
});

describe('CORS', () => {
  const from = (origin: string, init: RequestInit = {}) => ({ ...init, headers: { Origin: origin } });

  it('lets any origin read operations with a project key, including errors', async () => {
    const response = await call('/things/x', from('https://shop.example'));
    expect(response.status).toBe(401);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-expose-headers')).toContain('X-Request-Id');
  });

  it('lets only the console read operations with an access token', async () => {
    const ours = await call('/projects/p1', from('https://console.example'));
    expect(ours.headers.get('access-control-allow-origin')).toBe('https://console.example');
    expect(ours.headers.get('vary')).toContain('Origin');
    const other = await call('/projects/p1', from('https://evil.example'));
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('lets a shared cache serve a response to any origin', async () => {
    expect((await call('/things/x', withKey(KEY))).headers.get('access-control-allow-origin')).toBe('*');
  });

  it('answers a preflight for a day', async () => {
    const response = await call('/things/x', from('https://shop.example', { method: 'OPTIONS' }));
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, POST, HEAD');
    expect(response.headers.get('access-control-allow-headers')).toContain('Authorization');
    expect(response.headers.get('access-control-max-age')).toBe('86400');
  });
});

describe('the address of the caller', () => {
  const forwarded = { headers: { 'X-Forwarded-For': '6.6.6.6, 203.0.113.9, 10.0.0.1' } };

  it('uses the address of the connection when no proxy is trusted', async () => {
    expect(await (await call('/address', forwarded)).text()).toBe('127.0.0.1');
  });

  it('uses the X-Forwarded-For entry at the number of trusted proxies from the right', async () => {
    const behind = await startTestApp({ TRUSTED_PROXY_HOPS: '2' });
    try {
      expect(await (await fetch(`${behind.url}/address`, forwarded)).text()).toBe('203.0.113.9');
    } finally {
      await behind.stop();
    }
  });

  it.each([
    ['203.0.113.9:51820', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:cb00:7109', '203.0.113.9'],
    ['[::ffff:203.0.113.9]:443', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:1:2::9', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2:ffff::]:443', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['unknown', '127.0.0.1'],
    ['', '127.0.0.1'],
  ])('counts the address %s as %s', async (entry, counted) => {
    const behind = await startTestApp({ TRUSTED_PROXY_HOPS: '1' });
    try {
      const headers = { 'X-Forwarded-For': `6.6.6.6, ${entry}` };
      expect(await (await fetch(`${behind.url}/address`, { headers })).text()).toBe(counted);
    } finally {
      await behind.stop();
    }
  });

  it('counts IPv6 connections by their /64 network, and IPv4 on an IPv6 socket by the IPv4 address', async () => {
    const server = await listen({ fetch: test.app.hono.fetch, host: '::', port: 0 });
    const seen = async (host: string) => (await fetch(`http://${host}:${server.port}/address`)).text();
    expect([await seen('[::1]'), await seen('127.0.0.1')]).toEqual(['0:0:0:0::/64', '127.0.0.1']);
    await server.close(0);
  });
});

describe('the health of a service', () => {
  it('a service is serving whatever the state of its dependencies, until it drains', async () => {
    const own = await startTestApp();
    try {
      const serving = async () => (await fetch(`${own.url}/health/serving`)).status;
      own.app.health.add('database', () => Promise.reject(new Error('unavailable')));
      expect(await serving()).toBe(200);
      own.app.health.drain();
      expect(await serving()).toBe(503);
    } finally {
      await own.stop();
    }
  });

  it('a service is ready only while every dependency is available and it does not drain', async () => {
    const own = await startTestApp();
    try {
      const ready = async () => {
        const response = await fetch(`${own.url}/health/ready`);
        return [response.status, (await json(response)).problems];
      };
      expect(await ready()).toEqual([200, {}]);
      own.app.health.add('database', () => Promise.reject(new Error('postgres://secret')));
      expect(await ready()).toEqual([503, { database: 'unavailable' }]);
      own.app.health.add('database', () => Promise.reject(new ReadOnlyDatabase()));
      expect(await ready()).toEqual([503, { database: 'read-only: takes no writes' }]);
      own.app.health.drain();
      expect(await ready()).toEqual([503, { service: 'draining' }]);
      expect((await fetch(`${own.url}/health/live`)).status).toBe(200);
    } finally {
      await own.stop();
    }
  });
});
