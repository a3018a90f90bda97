import { operations } from '@switchboard/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, type Harness, startHarness } from './testing/harness.ts';

let harness: Harness;
const ids = { annotation: '', thread: '', comment: '' };
beforeAll(async () => {
  harness = await startHarness();
  const ada = harness.as('ada');
  const annotation = await ada.call('POST', '/v1/projects/shop/annotations', {
    startsOn: '2026-03-10',
    text: 'x',
    tags: ['a'],
  });
  const thread = await ada.call('POST', '/v1/projects/shop/reports/signups/comment-threads', { body: 'x' });
  ids.annotation = annotation.body.id;
  ids.thread = thread.body.id;
  ids.comment = thread.body.comments[0].id;
});
afterAll(() => harness.stop());

const range = 'annotations?from=2026-01-01&to=2026-01-02';
/** Each console operation, with a request that only access can refuse. Paths are below the project's. */
const requests: [operationId: string, method: string, path: () => string, body?: object][] = [
  ['listAnnotations', 'GET', () => range],
  ['createAnnotation', 'POST', () => 'annotations', { startsOn: '2026-03-10', text: 'x', tags: ['a'] }],
  [
    'changeAnnotation',
    'PATCH',
    () => `annotations/${ids.annotation}`,
    { startsOn: '2026-03-10', text: 'x', tags: ['a'] },
  ],
  ['deleteAnnotation', 'DELETE', () => `annotations/${ids.annotation}`],
  ['getPublicLink', 'GET', () => 'reports/signups/public-link'],
  ['putPublicLink', 'PUT', () => 'reports/signups/public-link', { expiresOn: '2026-12-01' }],
  ['deletePublicLink', 'DELETE', () => 'reports/signups/public-link'],
  [
    'shareReport',
    'POST',
    () => 'reports/signups/shares',
    {
      recipients: ['grace'],
      link: 'https://console.example/projects/shop/reports/signups',
      language: 'en',
    },
  ],
  ['listThreads', 'GET', () => 'reports/signups/comment-threads'],
  ['startThread', 'POST', () => 'reports/signups/comment-threads', { body: 'x' }],
  ['replyToThread', 'POST', () => `comment-threads/${ids.thread}/comments`, { body: 'x' }],
  ['changeComment', 'PATCH', () => `comments/${ids.comment}`, { body: 'x' }],
  ['deleteComment', 'DELETE', () => `comments/${ids.comment}`],
  ['resolveThread', 'PUT', () => `comment-threads/${ids.thread}/resolution`],
  ['reopenThread', 'DELETE', () => `comment-threads/${ids.thread}/resolution`],
  ['addReaction', 'PUT', () => `comments/${ids.comment}/reactions/${encodeURIComponent('🎯')}`],
  ['removeReaction', 'DELETE', () => `comments/${ids.comment}/reactions/${encodeURIComponent('🎯')}`],
];

it('covers every console operation of the service', () => {
  const ours = operations.filter(
    ({ service, credential }) => service === 'collaboration' && credential === 'access-token',
  );
  expect(requests.map(([operationId]) => operationId).sort()).toEqual(
    ours.map(({ operationId }) => operationId).sort(),
  );
});

describe.each(requests)('%s', (_, method, path, body) => {
  const to = (project: string) => `/v1/projects/${project}/${path()}`;
  const withHeader = (authorization?: string, project = 'shop', sent: unknown = body) =>
    call(harness.url, method, to(project), sent, authorization === undefined ? {} : { authorization });
  const withToken = async (claims: Parameters<Harness['token']>[0], project?: string) =>
    withHeader(`Bearer ${await harness.token(claims)}`, project);

  it('answers 401 with WWW-Authenticate without a valid token', async () => {
    const token = await harness.token({ sub: 'ada' });
    const refused = [
      await withHeader(),
      await withHeader(token),
      await withHeader('Bearer '),
      await withHeader('Basic YWRhOmFkYQ=='),
      await withHeader('Bearer not.a.token'),
      await withHeader(`Bearer ${token.slice(0, -4)}AAAA`),
      await withHeader(`Bearer pk_eu_${'a'.repeat(32)}`),
      await withToken({ sub: 'ada', expiresInSeconds: -31 }),
      await withToken({ sub: 'ada', issuer: 'https://evil.example' }),
      await withToken({ sub: 'ada', audience: 'another' }),
      await withToken({ sub: 'ada', expiresInSeconds: -31 }, 'nowhere'),
    ];
    for (const { status, headers, body: answer } of refused) {
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(answer.error.code).toBe('UNAUTHORIZED');
    }
  });

  it('answers 403 to a person who is not a member, whatever the permissions', async () => {
    const permissions = ['service.annotations.write', 'service.manage'];
    for (const sub of ['eve', 'nobody']) {
      const { status, body: answer } = await withToken({ sub, permissions });
      expect([status, answer.error.code]).toEqual([403, 'FORBIDDEN']);
    }
  });

  it('answers 404 for an unknown project', async () => {
    for (const sub of ['ada', 'eve']) {
      const { status, body: answer } = await withToken({ sub }, 'nowhere');
      expect([status, answer.error.code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  it('sends X-Request-Id, and answers 405 with Allow to another method', async () => {
    const answer = await withHeader();
    expect(answer.headers.get('x-request-id')).toMatch(/^[\w.-]+$/);
    const token = `Bearer ${await harness.token({ sub: 'ada' })}`;
    const other = await call(harness.url, 'REPORT', to('shop'), undefined, { authorization: token });
    expect(other.status).toBe(405);
    expect(other.headers.get('allow')).toContain(method);
  });
});

describe.each(requests.filter(([, , , body]) => body))('the body of %s', (_, method, path, body) => {
  const send = (authorization: string | undefined, project: string, sent: string) =>
    call(
      harness.url,
      method,
      `/v1/projects/${project}/${path()}`,
      sent,
      authorization === undefined ? {} : { authorization },
    );

  it('is not validated before access is checked', async () => {
    expect((await send(undefined, 'shop', '{')).status).toBe(401);
    const outsider = `Bearer ${await harness.token({ sub: 'eve' })}`;
    expect((await send(outsider, 'shop', '{')).status).toBe(403);
    expect((await send(outsider, 'nowhere', '{')).status).toBe(404);
  });

  it('answers 400 when it is not JSON, not an object, or has an unknown property', async () => {
    const member = `Bearer ${await harness.token({ sub: 'ada' })}`;
    const bodies = ['', '{', '[]', 'null', '"x"', JSON.stringify({ ...body, more: 1 })];
    for (const sent of bodies) {
      const { status, body: answer } = await send(member, 'shop', sent);
      expect([sent, status, answer.error.code]).toEqual([sent, 400, 'BAD_REQUEST']);
    }
  });
});

describe('an unknown report', () => {
  it.each([
    ['GET', 'public-link', undefined],
    ['PUT', 'public-link', { expiresOn: '2026-12-01' }],
    ['DELETE', 'public-link', undefined],
    ['GET', 'comment-threads', undefined],
    ['POST', 'comment-threads', { body: 'x' }],
  ])('%s %s is 404', async (method, path, body) => {
    for (const report of ['nothing', 'posts']) {
      const { status } = await harness
        .as('ada')
        .call(method, `/v1/projects/shop/reports/${report}/${path}`, body);
      expect(status).toBe(404);
    }
  });
});
