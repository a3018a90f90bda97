import { eventually } from '@switchboard/testkit';
import { beforeEach, describe, expect, it } from 'vitest';
import { call, useCollaboration } from '../testing/harness.ts';

const harness = await useCollaboration();
let addresses = 0;

const NOW = '2026-03-01T12:00:00.000Z';
const linkPath = (report = 'signups', project = 'shop') =>
  `/v1/projects/${project}/reports/${report}/public-link`;
const link = (method: string, body?: object, report?: string, sub = 'grace') =>
  harness.as(sub).call(method, linkPath(report), body);
const turnOn = async (expiresOn = '2026-03-10', report?: string) =>
  (await link('PUT', { expiresOn }, report)).body;
const read = (token: string, address = `10.0.${addresses++ >> 8}.${addresses & 255}`) =>
  call(harness.url, 'GET', `/v1/shared-reports/${token}`, undefined, { 'x-forwarded-for': address });
const run = (body: object, report = 'signups', permissions = ['service.manage'], project = 'shop') =>
  harness
    .as('operator', permissions)
    .call('POST', `/management/v1/projects/${project}/reports/${report}/runs`, body);

beforeEach(async () => {
  harness.clock.set(NOW);
  await link('DELETE');
});

describe('a public link', () => {
  it('answers 404 for a link that is off, and returns all its fields after it is turned on', async () => {
    expect((await link('GET', undefined, 'revenue')).status).toBe(404);
    const { status, body } = await link('PUT', { expiresOn: '2026-03-10' }, 'revenue');
    expect(status).toBe(200);
    expect(body).toEqual({
      reportId: 'revenue',
      token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      url: `https://links.example/shared/${body.token}`,
      createdAt: NOW,
      expiresAt: '2026-03-10T00:00:00.000Z',
      expiresOn: '2026-03-10',
      ranAt: null,
    });
    expect((await link('GET', undefined, 'revenue')).body).toEqual(body);
  });

  it('keeps the token and creation time of a link when its stop day moves', async () => {
    const first = await turnOn();
    harness.clock.set('2026-03-02T12:00:00.000Z');
    const moved = await turnOn('2026-04-01');
    expect(moved).toEqual({ ...first, expiresOn: '2026-04-01', expiresAt: '2026-04-01T00:00:00.000Z' });
    expect((await read(first.token)).status).toBe(200);
  });

  it('answers 404 at once when a link is turned off, and returns a new token when it is turned on again', async () => {
    const first = await turnOn();
    expect((await read(first.token)).status).toBe(200);
    expect((await link('DELETE')).status).toBe(204);
    expect((await read(first.token)).status).toBe(404);
    expect((await link('GET')).status).toBe(404);
    expect((await link('DELETE')).status).toBe(204);
    const second = await turnOn();
    expect(second.token).not.toBe(first.token);
    expect((await read(first.token)).status).toBe(404);
    expect((await read(second.token)).status).toBe(200);
  });

  it('turns off a link, and shows a new run, on every instance at once', async () => {
    const other = await harness.another();
    const { token } = await turnOn();
    const readThere = () => {
      const address = `10.8.0.${addresses++ & 255}`;
      return call(other.url, 'GET', `/v1/shared-reports/${token}`, undefined, { 'x-forwarded-for': address });
    };
    for (let round = 0; round < 10; round++) {
      await run({ report: { round } });
      expect((await readThere()).body).toEqual({ report: { round } });
    }
    await link('DELETE');
    expect((await readThere()).status).toBe(404);
    await other.stop();
  });

  it('stops a link when its stop day begins (UTC), to the millisecond', async () => {
    const first = await turnOn('2026-03-10');
    harness.clock.set('2026-03-09T23:59:59.999Z');
    expect([(await read(first.token)).status, (await link('GET')).status]).toEqual([200, 200]);
    harness.clock.set('2026-03-10T00:00:00.000Z');
    expect([(await read(first.token)).status, (await link('GET')).status]).toEqual([404, 404]);
    const second = await turnOn('2026-03-11');
    expect(second.token).not.toBe(first.token);
    expect(second.createdAt).toBe('2026-03-10T00:00:00.000Z');
    expect((await read(first.token)).status).toBe(404);
  });

  it.each(['2026-03-01', '2026-02-28', '2026-05-31', '2027-03-01', '9999-12-31'])(
    'rejects the stop day %s on 2026-03-01 with 400',
    async (expiresOn) => {
      const { status, body } = await link('PUT', { expiresOn });
      expect(status).toBe(400);
      expect(body.error.message).toContain('2026-05-30');
    },
  );

  it.each(['2026-03-02', '2026-05-30'])('accepts the stop day %s', async (expiresOn) => {
    expect((await link('PUT', { expiresOn })).body.expiresOn).toBe(expiresOn);
  });

  it.each([
    [{}],
    [{ expiresOn: null }],
    [{ expiresOn: '2026-02-30' }],
    [{ expiresOn: '2026-03-05T00:00:00Z' }],
    [{ expiresOn: 20260305 }],
    [{ expiresOn: '2026-03-05', token: 'mine' }],
  ])('rejects %j to turn on a link with 400', async (body) => {
    expect((await link('PUT', body)).status).toBe(400);
  });

  it('creates one link when many people turn it on at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => link('PUT', { expiresOn: '2026-03-05' })),
    );
    const tokens = new Set(answers.map(({ body }) => body.token));
    expect(tokens.size).toBe(1);
    expect((await read([...tokens][0])).status).toBe(200);
  });

  it('removes a link with its report or project', async () => {
    const put = (id: string) =>
      harness.directory.put('report', { projectId: 'shop', id, name: 'For a while' });
    await put('brief');
    await expect.poll(async () => (await link('PUT', { expiresOn: '2026-03-05' }, 'brief')).status).toBe(200);
    const { token } = (await link('GET', undefined, 'brief')).body;
    expect((await read(token)).status).toBe(200);
    await harness.directory.remove('report', 'shop', 'brief');
    await expect.poll(async () => (await read(token)).status).toBe(404);
  });
});

describe('the content of a link', () => {
  it('returns null content before the first run', async () => {
    const { token } = await turnOn('2026-03-05', 'revenue');
    const { status, body, headers } = await read(token);
    expect([status, body]).toEqual([200, { report: null }]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('returns the last run of the report, and updates it and ranAt with each run', async () => {
    const { token } = await turnOn();
    expect((await run({ report: { rows: [1] }, ranAt: '2026-02-28T10:00:00+01:00' })).body).toEqual({
      ranAt: '2026-02-28T09:00:00.000Z',
    });
    expect((await read(token)).body).toEqual({ report: { rows: [1] } });
    expect((await link('GET')).body.ranAt).toBe('2026-02-28T09:00:00.000Z');
    expect((await run({ report: { rows: [2] } })).body).toEqual({ ranAt: NOW });
    expect((await read(token)).body).toEqual({ report: { rows: [2] } });
    expect((await link('PUT', { expiresOn: '2026-03-06' })).body.ranAt).toBe(NOW);
  });

  it('answers 304 to a reader who has the content, until another run or the end of the link', async () => {
    const { token } = await turnOn();
    const readAfter = async (etag: string) => {
      const headers = { 'x-forwarded-for': '198.51.100.4', 'if-none-match': etag };
      return call(harness.url, 'GET', `/v1/shared-reports/${token}`, undefined, headers);
    };
    await run({ report: { rows: [1] } });
    const etag = (await read(token)).headers.get('etag') ?? '';
    const same = await readAfter(etag);
    expect([same.status, same.body, same.headers.get('cache-control')]).toEqual([304, undefined, 'no-store']);
    await run({ report: { rows: [2] } });
    expect((await readAfter(etag)).body).toEqual({ report: { rows: [2] } });
    await link('DELETE');
    expect((await readAfter('*')).status).toBe(404);
  });

  it('returns no cohort at any depth', async () => {
    const { token } = await turnOn();
    const hidden = { cohort: 'secret', cohorts: ['secret'], cohortId: 'secret', cohortIds: { a: 'secret' } };
    const report = { ...hidden, rows: [{ value: 1, ...hidden, deep: [[{ ...hidden, cohortSize: 3 }]] }] };
    await run({ report, cohort: { name: 'secret' } });
    const { body } = await read(token);
    expect(body).toEqual({ report: { rows: [{ value: 1, deep: [[{ cohortSize: 3 }]] }] } });
  });

  it.each([null, 0, false, '', 'text', [], [null], {}, { __proto__x: 1, 'é\u2028': '</script>' }])(
    'accepts %j as the content of a link',
    async (report) => {
      const { token } = await turnOn();
      expect((await run({ report })).status).toBe(201);
      expect((await read(token)).body).toEqual({ report });
    },
  );
});

describe('the response to a reader', () => {
  const kept = { 'cache-control': 'no-store', 'x-robots-tag': 'noindex', 'referrer-policy': 'no-referrer' };
  const headersOf = (answer: { headers: Headers }) => {
    const { date: _, 'x-request-id': __, ...headers } = Object.fromEntries(answer.headers);
    return headers;
  };

  it('forbids caching and indexing, and allows readers of any origin', async () => {
    const { token } = await turnOn();
    const response = await fetch(`${harness.url}/v1/shared-reports/${token}`, {
      headers: { origin: 'https://any.example', 'x-forwarded-for': '192.0.2.1' },
    });
    expect(headersOf(response)).toMatchObject({ ...kept, 'access-control-allow-origin': '*' });
  });

  it('answers the same 404 for links that are off, stopped, unknown or malformed', async () => {
    const stopped = await turnOn('2026-03-02');
    harness.clock.set('2026-03-02T00:00:00.000Z');
    const tokens = [stopped.token, 'A'.repeat(43), 'x', 'é', 'a%2Fb', '%00', `${'a'.repeat(4000)}`];
    const off = await turnOn('2026-03-10');
    await link('DELETE');
    const answers = [];
    for (const token of [off.token, ...tokens]) answers.push(await read(token));
    const [first, ...others] = answers;
    expect(first).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
    for (const other of others) {
      expect([other.status, other.body]).toEqual([first?.status, first?.body]);
      expect(headersOf(other)).toEqual(first && headersOf(first));
    }
    expect(first && headersOf(first)).toMatchObject(kept);
  });
});

describe('the rate limits of reading', () => {
  const statuses = async (reads: Promise<{ status: number }>[]) =>
    (await Promise.all(reads)).reduce<Record<string, number>>((counts, { status }) => {
      counts[status] = (counts[status] ?? 0) + 1;
      return counts;
    }, {});

  it('limits reads to 60 per minute and link, over all addresses', async () => {
    const { token } = await turnOn();
    expect(await statuses(Array.from({ length: 70 }, () => read(token)))).toEqual({ 200: 60, 429: 10 });
    const { status, headers, body } = await read(token);
    expect([status, body.error.code]).toEqual([429, 'RATE_LIMITED']);
    const seconds = Number(headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('limits reads to 30 per minute and address, over all links and unknown tokens', async () => {
    const { token } = await turnOn();
    const other = await turnOn('2026-03-05', 'revenue');
    const reads = Array.from({ length: 45 }, (_, index) =>
      read([token, other.token, `guess-${index}`][index % 3] ?? '', '203.0.113.7'),
    );
    const counts = await statuses(reads);
    expect((counts[200] ?? 0) + (counts[404] ?? 0)).toBe(30);
    expect(counts[429]).toBe(15);
  });

  it('does not reveal whether a link exists through rate limits', async () => {
    expect(await statuses(Array.from({ length: 70 }, () => read('never-was')))).toEqual({ 404: 60, 429: 10 });
  });
});

describe('recording a run', () => {
  it('requires service.manage, a project and a report of it to record a run', async () => {
    expect((await run({ report: 1 }, 'signups', [])).status).toBe(403);
    expect((await run({ report: 1 }, 'signups', ['service.manage'], 'nowhere')).status).toBe(404);
    expect((await run({ report: 1 }, 'posts')).status).toBe(404);
    const path = '/management/v1/projects/shop/reports/signups/runs';
    expect((await call(harness.url, 'POST', path, { report: 1 })).status).toBe(401);
  });

  it.each<[string, object]>([
    ['no report', {}],
    ['a ranAt that is no time', { report: 1, ranAt: '2026-03-01' }],
    ['a ranAt before 1970', { report: 1, ranAt: '0001-01-01T00:00:00+14:00' }],
    ['a ranAt after 9999', { report: 1, ranAt: '9999-12-31T23:59:59-14:00' }],
    ['a NUL', { report: 'a\0' }],
  ])('rejects a run with %s with 400', async (_, body) => {
    expect((await run(body)).status).toBe(400);
  });

  it('accepts a report of one megabyte', async () => {
    const { token } = await turnOn();
    const report = { text: 'é'.repeat(500_000) };
    expect((await run({ report })).status).toBe(201);
    expect((await read(token)).body).toEqual({ report });
  });
});

it('keeps links across a rotation of LINK_SECRET, which needs the older secret until one start with both', async () => {
  const reports = ['signups', 'revenue'];
  const tokens = await Promise.all(reports.map(async (report) => (await turnOn('2026-03-10', report)).token));
  const secret = harness.env['LINK_SECRET'] ?? '';
  const next = 'the next secret of more than thirty-two characters';
  const show = async (changed: string) => {
    const instance = await harness.another({ LINK_SECRET: changed });
    const authorization = `Bearer ${await harness.token({ sub: 'grace' })}`;
    const answers = await Promise.all(
      reports.map((report) => call(instance.url, 'GET', linkPath(report), undefined, { authorization })),
    );
    return { stop: instance.stop, tokens: answers.map(({ body }) => body.token) };
  };
  const without = await show(next);
  expect(without.tokens).toEqual([undefined, undefined]);
  await without.stop();
  const both = await show(`${next},${secret}`);
  expect(both.tokens).toEqual(tokens);
  // The re-encryption that was started runs to completion.
  await eventually(async () => {
    const one = await show(next);
    await one.stop();
    expect(one.tokens).toEqual(tokens);
  });
  await both.stop();
  const back = await show(`${secret},${next}`);
  await eventually(async () => expect((await link('GET')).body.token).toBe(tokens[0]));
  await back.stop();
});
