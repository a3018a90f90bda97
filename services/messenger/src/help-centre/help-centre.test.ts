import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startMessenger, type TestMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';
import { answerJson, type ProviderServer, startProviderServer } from '../testing/provider-server.ts';

const site = { url: 'https://help.example.com', articles: 120, languages: ['en', 'de'], capped: false };

let messenger: TestMessenger;
let provider: ProviderServer;
beforeAll(async () => {
  provider = await startProviderServer(() => undefined);
  messenger = await startMessenger({
    env: { HELP_SITE_URL: provider.url, HELP_SITE_TOKEN: 'provider-token' },
    helpSiteTimeoutMs: 300,
  });
});
beforeEach(() => {
  provider.answer = (_, response) => answerJson(response, site);
});
afterAll(async () => {
  await messenger.stop();
  await provider.stop();
});

const base = ({ id }: TestProject) => `/v1/projects/${id}/messenger`;
const read = (project: TestProject) =>
  messenger.call('GET', `${base(project)}/help-centre`, { token: project.member });
const refresh = (project: TestProject, url?: string) =>
  messenger.call('POST', `${base(project)}/help-centre/refresh`, {
    token: project.member,
    ...(url && { url }),
  });
const putSearch = (project: TestProject, body: unknown) =>
  messenger.call('PUT', `${base(project)}/article-search`, { token: project.member, body });

const manage = (method: 'GET' | 'PUT', id: string, body?: unknown) =>
  messenger.manage(method, `/projects/${id}/article-search`, body);

const nothing = { site: null, search: { on: false, placement: 'tab' } };

describe('the help centre', () => {
  test('shows no site until a refresh finds one', async () => {
    const project = await messenger.createProject();
    expect((await read(project)).body).toEqual(nothing);
    const found = await refresh(project);
    expect(found.status).toBe(200);
    expect(found.body).toEqual({
      site: { ...site, lastReadAt: expect.stringMatching(/\.\d{3}Z$/), readError: null },
      search: nothing.search,
    });
    expect((await read(project)).body).toEqual(found.body);
    expect(provider.received.at(-1)).toMatchObject({
      method: 'GET',
      path: `/companies/${project.companyId}/site`,
      headers: { authorization: 'Bearer provider-token' },
    });
  });

  test("changes the site with the provider's, and clears it if there is none", async () => {
    const project = await messenger.createProject();
    await refresh(project);
    const other = { url: 'https://other.example.com', articles: 0, languages: [], capped: true };
    provider.answer = (_, response) => answerJson(response, other);
    expect((await refresh(project)).body.site).toMatchObject(other);
    provider.answer = (_, response) => answerJson(response, {}, 404);
    expect((await refresh(project)).body).toEqual(nothing);
    expect((await read(project)).body).toEqual(nothing);
  });

  test.each<[string, ProviderServer['answer'], string]>([
    ['does not answer', () => undefined, 'did not answer within 0.3 s'],
    [
      'stops in the middle of the response',
      (_, response) => void response.writeHead(200).write('{"url":'),
      'did not answer within',
    ],
    ['fails', (_, response) => answerJson(response, site, 500), 'status 500'],
    ['refuses', (_, response) => answerJson(response, site, 401), 'status 401'],
    [
      'sends too large a response',
      (_, response) => void response.end(JSON.stringify({ ...site, x: 'x'.repeat(1_000_000) })),
      'more than',
    ],
    ['sends something other than JSON', (_, response) => void response.end('<html>'), 'invalid help site'],
    [
      'sends other JSON',
      (_, response) => answerJson(response, { ...site, articles: 'many' }),
      'invalid help site',
    ],
    [
      'returns a site without a web address',
      (_, response) => answerJson(response, { ...site, url: 'javascript:alert(1)' }),
      'invalid help site',
    ],
    [
      'sends text that cannot be stored',
      (_, response) => answerJson(response, { ...site, languages: ['e\0n'] }),
      'invalid help site',
    ],
    ['redirects', (_, response) => void response.writeHead(302, { Location: '/' }).end(), 'status 302'],
    ['closes the connection', (_, response) => void response.destroy(), 'could not be reached'],
  ])(
    'answers 502 without a site, or the stored site with readError, when the provider %s',
    async (_, answer, reason) => {
      const [project, without] = [await messenger.createProject(), await messenger.createProject()];
      const before = (await refresh(project)).body;
      provider.answer = answer;
      const refused = await refresh(without);
      expect([refused.status, refused.body.error.code]).toEqual([502, 'HELP_SITE_FAILED']);
      expect(refused.body.error.message).toContain(reason);
      const kept = await refresh(project);
      expect(kept.status).toBe(200);
      expect(kept.body).toEqual({
        ...before,
        site: { ...before.site, readError: expect.stringContaining(reason) },
      });
      expect((await read(project)).body).toEqual(kept.body);
      provider.answer = (_seen, response) => answerJson(response, site);
      expect((await refresh(project)).body.site.readError).toBeNull();
    },
  );

  test('does not connect to a provider at a private address that is not listed', async () => {
    const project = await messenger.createProject();
    const lines: string[] = [];
    const destination = { write: (line: string) => void lines.push(line) };
    const logger = createLogger({ service: 'messenger', level: 'warn', destination });
    // The identity provider of this test is on loopback.
    const HELP_SITE_URL = provider.url.replace('127.0.0.1', '[::ffff:10.0.0.1]');
    const { url } = await messenger.startInstance({ HELP_SITE_URL }, { logger });
    const refused = await refresh(project, url);
    expect([refused.status, refused.body.error.message]).toEqual([
      502,
      'The help-site provider could not be reached.',
    ]);
    expect(lines.join()).toContain('which OUTGOING_PRIVATE_NETWORKS does not list');
  });

  test('refreshes the help centre ten times a minute for a company, then answers 429', async () => {
    const project = await messenger.createProject();
    const other = await messenger.createProject();
    const statuses: number[] = [];
    for (let count = 0; count < 11; count++) statuses.push((await refresh(project)).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 200), 429]);
    expect((await refresh(other)).status).toBe(200);
  });

  test('shows no site without a provider', async () => {
    const project = await messenger.createProject();
    const { url } = await messenger.startInstance({ HELP_SITE_URL: '', HELP_SITE_TOKEN: '' });
    const answer = await refresh(project, url);
    expect([answer.status, answer.body]).toEqual([200, nothing]);
  });
});

describe('article search', () => {
  test('requires the entitlement to turn on article search, even if it was on before', async () => {
    const project = await messenger.createProject();
    const refused = await putSearch(project, { on: true, placement: 'tab' });
    expect([refused.status, refused.body.error.code]).toEqual([402, 'PLAN_REQUIRED']);
    await messenger.setEntitlements(project, { articleSearch: true });
    const on = { on: true, placement: 'while_typing' };
    await eventually(async () => expect((await putSearch(project, on)).body).toEqual(on));
    expect((await read(project)).body.search).toEqual(on);
    await messenger.setEntitlements(project, {});
    await eventually(async () => expect((await putSearch(project, on)).status).toBe(402));
    expect((await read(project)).body.search).toEqual(on);
  });

  test('turns off and places article search without the entitlement', async () => {
    const project = await messenger.createProject();
    for (const placement of ['first_view', 'while_typing', 'tab']) {
      const answer = await putSearch(project, { on: false, placement });
      expect([answer.status, answer.body]).toEqual([200, { on: false, placement }]);
    }
  });

  test('lets operators read article search, and set it under the same rule', async () => {
    const project = await messenger.createProject();
    const other = await messenger.createProject();
    expect((await manage('GET', project.id)).body).toEqual(nothing.search);
    const on = { on: true, placement: 'first_view' };
    const refused = await manage('PUT', project.id, on);
    expect([refused.status, refused.body.error.code]).toEqual([402, 'PLAN_REQUIRED']);
    const off = { on: false, placement: 'while_typing' };
    expect((await manage('PUT', project.id, off)).body).toEqual(off);
    await messenger.setEntitlements(project, { articleSearch: true });
    await eventually(async () => expect((await manage('PUT', project.id, on)).body).toEqual(on));
    expect((await manage('GET', project.id)).body).toEqual(on);
    expect((await read(project)).body.search).toEqual(on);
    expect((await manage('GET', other.id)).body).toEqual(nothing.search);
  });

  test('lets only members and operators read and set it, in the region of the project', async () => {
    const project = await messenger.createProject({ entitlements: { articleSearch: true } });
    const abroad = await messenger.createProject({ region: 'us' });
    const outsider = await messenger.createProject();
    const on = { on: true, placement: 'tab' };
    for (const method of ['GET', 'PUT'] as const) {
      const body = method === 'PUT' ? on : undefined;
      expect((await manage(method, 'nowhere', body)).status).toBe(404);
      expect((await manage(method, abroad.id, body)).status).toBe(403);
      const path = `/v1/projects/${project.id}/article-search`;
      const asMember = (token: string) => messenger.call(method, path, { token, ...(body && { body }) });
      expect((await asMember(outsider.member)).status).toBe(403);
      expect((await asMember(project.member)).status).toBe(200);
    }
    expect((await manage('GET', project.id)).body).toEqual(on);
  });

  test.each([
    [{ on: true }, 'placement'],
    [{ placement: 'tab' }, 'on'],
    [{ on: 'yes', placement: 'tab' }, 'on'],
    [{ on: false, placement: 'footer' }, 'placement'],
    [{ on: false, placement: 'tab', extra: 1 }, 'extra'],
  ])('rejects the search settings %j', async (body, name) => {
    const project = await messenger.createProject();
    for (const answer of [await putSearch(project, body), await manage('PUT', project.id, body)]) {
      expect([answer.status, answer.body.error.code]).toEqual([400, 'BAD_REQUEST']);
      expect(answer.body.error.message).toContain(name);
    }
  });
});

test('answers 401 and 404 before 400, since settings are for members of the company', async () => {
  const project = await messenger.createProject();
  const outsider = await messenger.createProject();
  const stale = await messenger.mint({ sub: 'x', expiresInSeconds: -60 });
  const calls: [string, string, boolean][] = [
    ['GET', '/help-centre', false],
    ['POST', '/help-centre/refresh', false],
    ['PUT', '/article-search', true],
    ['POST', '/translations', true],
  ];
  for (const [method, path, hasBody] of calls) {
    const call = async (token: string | null, id = project.id) => {
      const raw = hasBody ? { raw: '{' } : {};
      const answer = await messenger.call(method, `/v1/projects/${id}/messenger${path}`, { token, ...raw });
      return [answer.status, answer.body.error.code];
    };
    for (const token of [null, 'x', stale, project.key])
      expect(await call(token)).toEqual([401, 'UNAUTHORIZED']);
    expect(await call(project.member, 'nowhere')).toEqual([404, 'NOT_FOUND']);
    expect(await call(outsider.member)).toEqual([404, 'NOT_FOUND']);
    if (hasBody) expect(await call(project.member)).toEqual([400, 'BAD_REQUEST']);
  }
});
