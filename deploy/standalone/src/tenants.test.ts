import {
  type Host,
  isGrantedByRole,
  managementOperations,
  type Operation,
  operations,
  ROLES,
} from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type DemoJson, standaloneForTests } from './testing/launch.ts';

/** Tenant isolation: one tenant never reaches another's data, whatever ids it knows. */

const OTHER = { company: 'cmp_other', project: 'prj_other', report: 'rep_other' };

const running = standaloneForTests();
let demo: DemoJson;
/** The outsider joins the other company, whose project has this key. */
let otherKey: string;
beforeAll(async () => {
  demo = running.demo;
  otherKey = await makeOtherTenant();
}, 60_000);

const addressOf = (host: Host) =>
  ({
    api: demo.base_url,
    events: demo.eu_api_url,
    replay: demo.eu_replay_url,
    management: demo.management_url,
  })[host];

interface Ask {
  method?: string;
  bearer?: string;
  body?: unknown;
  conversationToken?: string;
}

async function ask(url: string, { method = 'GET', bearer, body, conversationToken }: Ask = {}) {
  const response = await fetch(url, {
    method,
    headers: {
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
      'Content-Type': 'application/json',
      ...(conversationToken === undefined ? {} : { 'X-Service-Conversation-Token': conversationToken }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined };
}

async function manage(method: string, path: string, body?: unknown) {
  const answer = await ask(`${demo.management_url}/management/v1${path}`, {
    method,
    bearer: demo.tokens.operator,
    body,
  });
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(300);
  return answer.json;
}

async function makeOtherTenant(): Promise<string> {
  const { company, project, report } = OTHER;
  await manage('PUT', '/plans/other/monthly', { trialDays: 0, priced: false, entitlements: {} });
  const plan = { tier: 'other', cycle: 'monthly' };
  await manage('PUT', `/companies/${company}`, { name: 'Other', plan });
  const outsider = z.object({ outsider: z.string() }).parse(demo['subs']).outsider;
  await manage('PUT', `/companies/${company}/members/${outsider}`, {
    name: 'Olu Adeyemi',
    email: 'olu@other.example',
  });
  const settings = { companyId: company, name: 'Other', region: 'eu', defaultLanguage: 'en' };
  await manage('PUT', `/projects/${project}`, settings);
  await manage('PUT', `/projects/${project}/reports/${report}`, { name: 'Other' });
  const { key } = await manage('POST', `/projects/${project}/keys`);
  await eventually(async () => {
    const flags = await ask(`${demo.base_url}/v1/flags?distinct_id=`, { bearer: key });
    const thread = `${demo.base_url}/v1/projects/${project}/reports/${report}/comment-threads`;
    const threads = await ask(thread, { bearer: demo.tokens.outsider });
    const settings = await ask(`${demo.base_url}/v1/messenger/config`, { bearer: key });
    expect([flags.status, threads.status, settings.status]).toEqual([200, 200, 200]);
  });
  return key;
}

/** The operation's path in a project, by default the demo's, with well-formed ids elsewhere. */
function urlOf({ host, path }: Operation, projectId = demo.project_id): string {
  const ids: Record<string, string> = { projectId, reportId: demo.report_id };
  return addressOf(host) + path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'some-id');
}

/** Not JSON: an error about it would mean that the body was read before access was settled. */
const notJson = ({ method }: Operation) => (['get', 'delete'].includes(method) ? {} : { body: '{"half' });

const callers: Record<
  Exclude<Operation['credential'], 'public'>,
  [who: string, bearer: () => string, is: number][]
> = {
  'project-key': [
    ['a key that never was', () => `pk_eu_${'x'.repeat(32)}`, 401],
    ['a key of another region', () => demo.other_region_key, 403],
    ['an access token', () => demo.tokens.owner, 401],
  ],
  conversation: [
    ['a key that never was', () => `pk_eu_${'x'.repeat(32)}`, 401],
    ['a key of another region', () => demo.other_region_key, 403],
    ['a key without a conversation token', () => demo.project_key, 401],
  ],
  ingestion: [
    ['a key that never was', () => `pk_eu_${'x'.repeat(32)}`, 401],
    ['a key of another region', () => demo.other_region_key, 403],
  ],
  'access-token': [
    ['a project key', () => demo.project_key, 401],
    ['a member of another company', () => demo.tokens.outsider, 403],
    ['an operator who is no member', () => demo.tokens.operator, 403],
  ],
  management: [
    ['a project key', () => demo.project_key, 401],
    ['a member of another company', () => demo.tokens.outsider, 403],
  ],
};

const guarded = operations.flatMap((operation) =>
  operation.credential === 'public'
    ? []
    : [
        { name: operation.operationId, who: 'nobody', bearer: () => undefined, is: 401, operation },
        ...callers[operation.credential].map(([who, bearer, is]) => ({
          name: operation.operationId,
          who,
          bearer,
          is,
          operation,
        })),
      ],
);

describe('every operation, before it reads the body', () => {
  it.each(guarded)('$name refuses $who with $is', async ({ operation, bearer, is }) => {
    const credential = bearer();
    const answer = await ask(urlOf(operation), {
      method: operation.method.toUpperCase(),
      ...(credential === undefined ? {} : { bearer: credential }),
      ...notJson(operation),
    });
    expect(answer.status, answer.text).toBe(is);
  });
});

const ofProjects = operations.filter(
  ({ path, service }) => path.includes('{projectId}') && service !== 'catalogue',
);

describe('every management operation, by the role of the caller in the company', () => {
  const tokens = new Map<string, string>();
  beforeAll(async () => {
    const { company } = OTHER;
    for (const role of ROLES) {
      const sub = `sub-${role}`;
      const member = { name: role, email: `${role}@other.example`, role };
      await manage('PUT', `/companies/${company}/members/${sub}`, member);
      await manage('PUT', `/companies/cmp_spare_${role}`, {
        name: 'Spare',
        plan: { tier: 'other', cycle: 'monthly' },
      });
      await manage('PUT', `/companies/cmp_spare_${role}/members/${sub}`, member);
      const spare = { companyId: company, name: 'Spare', region: 'eu', defaultLanguage: 'en' };
      await manage('PUT', `/projects/prj_spare_${role}`, spare);
      const minted = await ask(`${demo.base_url}/dev/tokens`, { method: 'POST', body: { sub } });
      tokens.set(role, minted.json.token);
    }
  }, 60_000);

  /** What an allowed call would remove from under the others has a copy for each role. */
  function pathFor({ operationId, path }: Operation, role: string): string {
    const ids: Record<string, string> = {
      companyId: operationId === 'deleteCompany' ? `cmp_spare_${role}` : OTHER.company,
      projectId: operationId === 'deleteProject' ? `prj_spare_${role}` : OTHER.project,
      reportId: OTHER.report,
    };
    return path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'some-id');
  }

  const asked = managementOperations.flatMap((operation) => {
    const { operationId: name, permission } = operation;
    if (permission === undefined) throw new Error(`${name} names no permission`);
    return ROLES.map((role) => ({ name, role, operation, is: isGrantedByRole(role, permission) }));
  });

  it.each(asked)('$name by $role: $is', async ({ operation, role, is }) => {
    const answer = await ask(demo.management_url + pathFor(operation, role), {
      method: operation.method.toUpperCase(),
      bearer: tokens.get(role) ?? '',
      ...notJson(operation),
    });
    expect(answer.status, answer.text).not.toBe(401);
    expect(answer.status !== 403, answer.text).toBe(is);
  });
});

describe('every operation on a project of another region, before it reads the body', () => {
  it.each(ofProjects)('$operationId refuses with 403 those who may use the project', async (operation) => {
    const { operator, owner } = demo.tokens;
    const answer = await ask(urlOf(operation, 'prj_shop_us'), {
      method: operation.method.toUpperCase(),
      bearer: operation.credential === 'management' ? operator : owner,
      ...notJson(operation),
    });
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('region us')]);
  });
});

describe('a member of one company, in their own project, with ids of another project', () => {
  const own = () => `${demo.base_url}/v1/projects/${OTHER.project}`;
  const theirs = () => `${demo.base_url}/v1/projects/${demo.project_id}`;
  const me = () => demo.tokens.outsider;

  it('cannot reach its annotations, reports, threads and comments', async () => {
    const owner = demo.tokens.owner;
    const days = 'from=2000-01-01&to=2099-12-31';
    const before = await ask(`${theirs()}/annotations?${days}`, { bearer: owner });
    const threadsBefore = await ask(`${theirs()}/reports/${demo.report_id}/comment-threads`, {
      bearer: owner,
    });
    const annotationId: string = before.json.annotations[0].id;
    const { id: threadId, comments } = threadsBefore.json.threads[0];
    const commentId: string = comments[0].id;

    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    const annotation = { startsOn: '2026-01-01', text: 'mine now', tags: ['a'] };
    const tries: [method: string, path: string, body?: unknown][] = [
      ['PATCH', `/annotations/${annotationId}`, annotation],
      ['POST', '/annotations', { ...annotation, reportId: demo.report_id }],
      ['GET', `/reports/${demo.report_id}/public-link`],
      ['PUT', `/reports/${demo.report_id}/public-link`, { expiresOn: tomorrow }],
      ['GET', `/reports/${demo.report_id}/comment-threads`],
      ['POST', `/comment-threads/${threadId}/comments`, { body: 'hello' }],
      ['PATCH', `/comments/${commentId}`, { body: 'hello' }],
      ['DELETE', `/comments/${commentId}`],
      ['PUT', `/comment-threads/${threadId}/resolution`],
      ['PUT', `/comments/${commentId}/reactions/${encodeURIComponent('👍')}`],
    ];
    for (const [method, path, body] of tries) {
      const answer = await ask(own() + path, { method, bearer: me(), body });
      expect(answer.status, `${method} ${path}: ${answer.text}`).toBe(404);
    }
    await ask(`${own()}/annotations/${annotationId}`, { method: 'DELETE', bearer: me() });

    expect(await ask(`${theirs()}/annotations?${days}`, { bearer: owner })).toEqual(before);
    expect(await ask(`${theirs()}/reports/${demo.report_id}/comment-threads`, { bearer: owner })).toEqual(
      threadsBefore,
    );
    const mine = await ask(`${own()}/annotations?${days}`, { bearer: me() });
    expect(mine.json).toEqual({ annotations: [] });
  });
});

describe('a project key', () => {
  it('cannot open a conversation of another project, even with its token', async () => {
    const conversations = `${demo.base_url}/v1/conversations`;
    const opened = await ask(conversations, {
      method: 'POST',
      bearer: demo.project_key,
      body: { distinctId: 'ada' },
    });
    const { conversationId, token } = opened.json;
    const png = await ask(`${conversations}/${conversationId}/attachments?name=a.pdf`, {
      method: 'POST',
      bearer: demo.project_key,
      conversationToken: token,
      body: '%PDF-1.7\n%%EOF\n',
    });
    expect(png.status, png.text).toBe(201);

    const stolen = { bearer: otherKey, conversationToken: token };
    const tries = [
      await ask(`${conversations}/${conversationId}`, stolen),
      await ask(`${conversations}/${conversationId}/turns`, {
        ...stolen,
        method: 'POST',
        body: { body: 'hi' },
      }),
      await ask(`${conversations}/${conversationId}/attachments/${png.json.id}`, stolen),
    ];
    expect(tries.map(({ status }) => status)).toEqual([401, 401, 401]);
  });

  it('returns flags, cohorts, messages, texts and pictures of its own project only', async () => {
    const of = (key: string) => async (path: string) =>
      (await ask(demo.base_url + path, { bearer: key })).json;
    const [ours, others] = [of(demo.project_key), of(otherKey)];
    expect((await others('/v1/flags?distinct_id=ada')).flags).toEqual({});
    expect((await others('/v1/flags/snapshot')).flags).toEqual([]);
    expect(await others('/v1/flags/memberships?distinct_id=ada')).toEqual({ cohorts: [] });
    const inbox = '/v1/messages?distinct_id=ada';
    const [message] = (await ours(inbox)).messages;
    expect((await others(inbox)).messages).toEqual([]);
    const read = await ask(`${demo.base_url}/v1/messages/read`, {
      method: 'POST',
      bearer: otherKey,
      body: { message_id: message.id, distinct_id: 'ada' },
    });
    expect(read.json).toEqual({ ok: false });

    const configuration = await ours('/v1/messenger/config');
    const picture: string = configuration.team.find(
      ({ avatarUrl }: { avatarUrl: string | null }) => avatarUrl !== null,
    ).avatarUrl;
    const status = async (key: string) => (await ask(demo.base_url + picture, { bearer: key })).status;
    expect([await status(demo.project_key), await status(otherKey)]).toEqual([200, 404]);
    expect(await others('/v1/messenger/config')).toEqual({ enabled: false });
  });

  it('sends events to its own project only, whatever the body says', async () => {
    const identify = { distinct_id: 'ada', properties: { plan: 'stolen' }, project_id: demo.project_id };
    const sent = await ask(`${demo.eu_api_url}/v1/identify`, {
      method: 'POST',
      bearer: otherKey,
      body: identify,
    });
    expect(sent.status, sent.text).toBe(202);
    await manage('PUT', `/projects/${OTHER.project}/cohorts/seen`, {
      name: 'Seen',
      match: [{ attribute: 'plan', op: 'eq', value: 'stolen' }],
    });
    await manage('PUT', `/projects/${demo.project_id}/cohorts/seen`, {
      name: 'Seen',
      match: [{ attribute: 'plan', op: 'eq', value: 'stolen' }],
    });
    const cohorts = async (key: string) =>
      (await ask(`${demo.base_url}/v1/flags/memberships?distinct_id=ada`, { bearer: key })).json.cohorts;
    await eventually(async () => expect(await cohorts(otherKey)).toEqual(['seen']));
    expect(await cohorts(demo.project_key)).not.toContain('seen');
  });
});
