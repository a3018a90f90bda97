import { isGrantedByRole, operations } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { beforeAll, describe, expect, it } from 'vitest';
import { call, dayAhead, type Harness, useCollaboration } from './testing/harness.ts';

const harness = await useCollaboration({ LOG_LEVEL: 'silent' });
const ids = { annotation: '', thread: '', comment: '' };
beforeAll(async () => {
  const ada = harness.as('ada');
  const annotation = await ada.call('POST', '/v1/projects/shop/annotations', {
    startsOn: '2026-03-10',
    text: 'x',
    tags: ['a'],
  });
  const thread = await ada.call('POST', '/v1/projects/shop/reports/signups/comment-threads', { body: 'x' });
  await harness
    .as('operator', ['service.manage'])
    .call('PUT', '/management/v1/projects/shop/dashboards/board', { name: 'Board' });
  ids.annotation = annotation.body.id;
  ids.thread = thread.body.id;
  ids.comment = thread.body.comments[0].id;
});

const expiresOn = dayAhead(5);
const range = 'annotations?from=2026-01-01&to=2026-01-02';
/**
 * Each console operation, with a request that is rejected only for lack of access. Paths are relative to the
 * project's.
 */
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
  ['getDashboardReports', 'GET', () => 'dashboards/board/reports'],
  ['listThreadInbox', 'GET', () => 'comment-threads'],
  ['putPublicLink', 'PUT', () => 'reports/signups/public-link', { expiresOn }],
  ['deletePublicLink', 'DELETE', () => 'reports/signups/public-link'],
  ['getDashboardLink', 'GET', () => 'dashboards/board/public-link'],
  ['putDashboardLink', 'PUT', () => 'dashboards/board/public-link', { expiresOn }],
  ['deleteDashboardLink', 'DELETE', () => 'dashboards/board/public-link'],
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

describe.each(requests)('%s', (operationId, method, path, body) => {
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

  it.each([
    ['a member of another company', 'eve', 404, 'NOT_FOUND'],
    ['a person of no company', 'nobody', 403, 'FORBIDDEN'],
  ])('does not tell %s whether the project exists, whatever their permissions', async (_, sub, is, code) => {
    const permissions = ['service.annotations.write', 'service.manage'];
    const [theirs, none] = [
      await withToken({ sub, permissions }),
      await withToken({ sub, permissions }, 'nowhere'),
    ];
    expect([theirs.status, theirs.body.error.code]).toEqual([is, code]);
    expect([none.status, none.body]).toEqual([theirs.status, theirs.body]);
  });

  it('answers 404 to a member for an unknown project', async () => {
    const { status, body: answer } = await withToken({ sub: 'ada' }, 'nowhere');
    expect([status, answer.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  it("requires the role of the operation's permission", async () => {
    const { permission = 'flags.read' } = operations.find((one) => one.operationId === operationId) ?? {};
    const { body: answer } = await withToken({ sub: 'vera' });
    const lacksRole = `${answer?.error?.message}`.includes(`Requires ${permission}: the role editor`);
    expect(lacksRole).toBe(!isGrantedByRole('viewer', permission));
  });

  it('sends X-Request-Id, and answers another method with 405 and Allow', async () => {
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

  it('checks access before it validates a body', async () => {
    expect((await send(undefined, 'shop', '{')).status).toBe(401);
    const outsider = `Bearer ${await harness.token({ sub: 'eve' })}`;
    expect((await send(outsider, 'shop', '{')).status).toBe(404);
    expect((await send(outsider, 'nowhere', '{')).status).toBe(404);
  });

  it('answers 400 to a body that is not JSON, not an object, or has an unknown property', async () => {
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
    ['PUT', 'public-link', { expiresOn }],
    ['DELETE', 'public-link', undefined],
    ['GET', 'comment-threads', undefined],
    ['POST', 'comment-threads', { body: 'x' }],
  ])('answers %s %s of an unknown report with 404', async (method, path, body) => {
    for (const report of ['nothing', 'posts']) {
      const { status } = await harness
        .as('ada')
        .call(method, `/v1/projects/shop/reports/${report}/${path}`, body);
      expect(status).toBe(404);
    }
  });
});

describe('an audit trail that cannot be written', () => {
  it.each(requests.filter(([, method]) => method !== 'GET'))(
    'makes no change in %s while the audit trail cannot be written',
    async (_, method, path, body) => {
      const ada = harness.as('ada', ['service.annotations.write']);
      const state = async () => [
        (await ada.call('GET', '/v1/projects/shop/annotations?from=2026-01-01&to=2026-12-31')).body,
        (await ada.call('GET', '/v1/projects/shop/reports/signups/comment-threads')).body,
        (await ada.call('GET', '/v1/projects/shop/reports/signups/public-link')).body,
      ];
      const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
      await database.sql`alter table audit.outbox rename to elsewhere`;
      try {
        const before = await state();
        const tried = await ada.call(method, `/v1/projects/shop/${path()}`, body);
        expect(tried.status).toBeGreaterThanOrEqual(500);
        expect(await state()).toEqual(before);
      } finally {
        await database.sql`alter table audit.elsewhere rename to outbox`;
        await database.close();
      }
    },
  );
});
