import {
  consoleOperations,
  isGrantedByRole,
  managementOperations,
  type Operation,
  operations,
  permissionGrants,
  ROLES,
} from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addressOf } from './testing/addresses.ts';
import { type DemoJson, standaloneForTests } from './testing/launch.ts';

/** Tests tenant isolation: a tenant must never reach another tenant's data, even if it knows the ids. */

const OTHER = { company: 'cmp_other', project: 'prj_other', report: 'rep_other' };

const running = standaloneForTests();
let demo: DemoJson;
/** The key of a project of the other company, which the outsider joins. */
let otherKey: string;
/** Tokens that the outsider created as the other company's owner, with every permission that a role has. */
let otherTokens: { personal: string; service: string; revoked: string };
beforeAll(async () => {
  demo = running.demo;
  otherKey = await makeOtherTenant();
  otherTokens = await makeTokens();
});

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
  // An event stream has no end.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
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
    role: 'owner',
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

async function makeTokens() {
  const path = `/companies/${OTHER.company}/tokens`;
  const permissions = Object.entries(permissionGrants).flatMap(([name, { role }]) =>
    role === null ? [] : [name],
  );
  const make = async (kind: string): Promise<{ id: string; token: string }> => {
    const answer = await ask(`${demo.management_url}/management/v1${path}`, {
      method: 'POST',
      bearer: demo.tokens.outsider,
      body: { name: kind, kind, permissions },
    });
    expect(answer.status, answer.text).toBe(201);
    return answer.json;
  };
  const { id, token: revoked } = await make('service');
  await manage('DELETE', `${path}/${id}`);
  return { personal: (await make('personal')).token, service: (await make('service')).token, revoked };
}

/** Returns the URL of an operation in a project (default: the demo's), with well-formed ids elsewhere. */
function urlOf(
  { host, path }: Operation,
  projectId: string = demo.project_id,
  companyId = 'some-id',
): string {
  const ids: Record<string, string> = { projectId, companyId, reportId: demo.report_id };
  return addressOf(demo, host) + path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'some-id');
}

/** Returns a unique name: a management operation and its console counterpart have the same id. */
const nameOf = ({ operationId, credential }: Operation) => `${operationId} (${credential})`;

/** Returns a body that is not JSON. A JSON error would mean that the body was read before the access check. */
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
    ['a member of another company', () => demo.tokens.outsider, 404],
    ['an operator who is no member', () => demo.tokens.operator, 403],
    ['a token that was revoked', () => otherTokens.revoked, 401],
    ['a service token of another company', () => otherTokens.service, 404],
    ['a personal token of a member of another company', () => otherTokens.personal, 404],
  ],
  console: [
    ['a project key', () => demo.project_key, 401],
    ['a member of another company', () => demo.tokens.outsider, 403],
    ['an operator who is no member', () => demo.tokens.operator, 403],
    ['a token that was revoked', () => otherTokens.revoked, 401],
    ['a service token of another company', () => otherTokens.service, 403],
    ['a personal token of a member of another company', () => otherTokens.personal, 403],
  ],
  management: [
    ['a project key', () => demo.project_key, 401],
    ['a member of another company', () => demo.tokens.outsider, 403],
    ['a token that was revoked', () => otherTokens.revoked, 401],
    ['a service token of another company', () => otherTokens.service, 403],
    ['a personal token of a member of another company', () => otherTokens.personal, 403],
  ],
};

const isOfOneself = ({ credential, permission }: Operation) =>
  credential === 'console' && permission === undefined;

const guarded = operations.flatMap((operation) =>
  operation.credential === 'public'
    ? []
    : [
        { name: nameOf(operation), who: 'nobody', bearer: () => undefined, is: 401, operation },
        // Every token may read its own identity.
        ...callers[operation.credential]
          .filter(([, , is]) => is === 401 || !isOfOneself(operation))
          .map(([who, bearer, is]) => ({
            name: nameOf(operation),
            who,
            bearer,
            is,
            operation,
          })),
      ],
);

/** Refused calls change nothing, and most of them wait for the directory: they run beside one another. */
const refusals = describe.concurrent;

refusals('the check of credentials before the body', () => {
  it.each(guarded)('refuses a call of $name from $who with $is', async ({ operation, bearer, is }) => {
    const credential = bearer();
    const answer = await ask(urlOf(operation), {
      method: operation.method.toUpperCase(),
      ...(credential === undefined ? {} : { bearer: credential }),
      ...notJson(operation),
    });
    expect(answer.status, answer.text).toBe(is);
  });
});

/** Operations that create a resource at an id, so that the caller learns if the id is taken. */
const CREATES = ['putProject'];

/** Callers without access. Operators are not among them, because they may list projects and companies. */
const strangers: [who: string, bearer: () => string][] = [
  ['a member of another company', () => demo.tokens.outsider],
  ['a service token of another company', () => otherTokens.service],
  ['a personal token of a member of another company', () => otherTokens.personal],
];

const ofSomething = operations.filter(
  ({ path, operationId, credential }) =>
    /\{(projectId|companyId)\}/.test(path) && credential !== 'public' && !CREATES.includes(operationId),
);

refusals('operations on a project or company of another customer', () => {
  it.each(ofSomething.map((operation) => ({ name: nameOf(operation), operation })))(
    'answers $name as for a project or company that does not exist',
    async ({ operation }) => {
      for (const [who, bearer] of [...strangers, ['an operator', () => demo.tokens.operator] as const]) {
        if (who === 'an operator' && operation.credential === 'management') continue;
        const on = async (projectId: string, companyId: string) => {
          const url = urlOf(operation, projectId, companyId);
          const { status, text } = await ask(url, {
            method: operation.method.toUpperCase(),
            bearer: bearer(),
            ...notJson(operation),
          });
          return { status, text };
        };
        const theirs = await on(demo.project_id, 'co_lumen');
        expect([who, await on('prj_none', 'co_none')]).toEqual([who, theirs]);
        expect([who, [403, 404].includes(theirs.status)]).toEqual([who, true]);
      }
    },
  );
});

describe('a project with a list of origins', () => {
  const [ours, evil] = ['https://shop.example', 'https://evil.example'];
  const flags = () => `${demo.base_url}/v1/flags?distinct_id=ada`;
  const from = (origin: string | undefined, key = otherKey) =>
    fetch(flags(), {
      headers: { Authorization: `Bearer ${key}`, ...(origin === undefined ? {} : { Origin: origin }) },
    });
  const setOrigins = (allowedOrigins: string[] | undefined) =>
    manage('PUT', `/projects/${OTHER.project}`, {
      companyId: OTHER.company,
      name: 'Other',
      region: 'eu',
      defaultLanguage: 'en',
      ...(allowedOrigins && { allowedOrigins }),
    });

  beforeAll(async () => {
    expect((await setOrigins([ours])).allowedOrigins).toEqual([ours]);
    await eventually(async () => expect((await from(evil)).status).toBe(403));
  });
  afterAll(async () => {
    await setOrigins(undefined);
    await eventually(async () => expect((await from(evil)).status).toBe(200));
  });

  it('serves pages of the listed origins, and callers that are not pages', async () => {
    const page = await from(ours);
    expect([page.status, page.headers.get('access-control-allow-origin')]).toEqual([200, ours]);
    expect(page.headers.get('vary')).toMatch(/Origin/);
    const server = await from(undefined);
    expect([server.status, server.headers.get('access-control-allow-origin')]).toEqual([200, null]);
  });

  it('refuses pages of other origins, which cannot read the reason', async () => {
    for (const origin of [evil, 'null', `${ours}.evil.example`, 'http://shop.example']) {
      const { status, headers } = await from(origin);
      expect([origin, status, headers.get('access-control-allow-origin')]).toEqual([origin, 403, null]);
    }
    const beacon = await fetch(`${demo.eu_api_url}/v1/identify`, {
      method: 'POST',
      headers: { Origin: evil },
      body: JSON.stringify({ api_key: otherKey, distinct_id: 'ada' }),
    });
    expect(beacon.status).toBe(403);
  });

  it('leaves other projects unchanged', async () => {
    const { status, headers } = await from(evil, demo.project_key);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  });
});

describe('the headers of every response', () => {
  /** The authorized callers. The tests below cover the response, including the rejection of an empty body. */
  const allowed: Record<Operation['credential'], () => string | undefined> = {
    public: () => undefined,
    'project-key': () => otherKey,
    conversation: () => otherKey,
    ingestion: () => otherKey,
    'access-token': () => demo.tokens.outsider,
    console: () => otherTokens.personal,
    management: () => otherTokens.personal,
  };

  it.each(operations)(
    'sends nosniff with every response of $operationId, and no-store to people and operators',
    async (operation) => {
      for (const bearer of [allowed[operation.credential](), undefined]) {
        const { method } = operation;
        // Does not remove what other tests need.
        const projectId = method === 'delete' ? 'prj_none' : OTHER.project;
        const response = await fetch(urlOf(operation, projectId), {
          method: method.toUpperCase(),
          headers: {
            'Content-Type': 'application/json',
            ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
          },
          ...notJson(operation),
        });
        await response.body?.cancel();
        expect(response.headers.get('x-content-type-options')).toBe('nosniff');
        if (['access-token', 'console', 'management'].includes(operation.credential)) {
          expect(response.headers.get('cache-control')).toBe('no-store');
        }
      }
    },
  );

  it('sends nosniff with pages, unknown paths and unsupported methods', async () => {
    const paths = ['/', '/docs', '/openapi.json', '/nothing', '/v1/nothing', '/health/live'];
    const urls = [demo.base_url, demo.eu_api_url, demo.management_url].flatMap((base) =>
      paths.map((path) => base + path),
    );
    for (const [method, url] of [
      ...urls.map((one) => ['GET', one] as const),
      ['DELETE', `${demo.base_url}/v1/plans`] as const,
      // Rejected before the application, because a page could send it.
      ['POST', `${demo.management_url}/management/v1/erasures`] as const,
    ]) {
      const { headers } = await fetch(url, { method });
      expect([url, headers.get('x-content-type-options')]).toEqual([url, 'nosniff']);
    }
  });
});

const isOfRole = (permission: keyof typeof permissionGrants) => permissionGrants[permission].role !== null;

const ofProjects = operations.filter(
  ({ path, service }) => path.includes('{projectId}') && service !== 'catalogue',
);

const DOORS = ['management', 'console'] as const;

const ofMembers = operations.filter(({ credential }) => credential === 'access-token');

describe('the permissions of company roles', () => {
  const tokens = new Map<string, string>();
  beforeAll(async () => {
    const { company } = OTHER;
    for (const role of ROLES) {
      const sub = `sub-${role}`;
      const member = { name: role, email: `${role}@other.example`, role };
      await manage('PUT', `/companies/${company}/members/${sub}`, member);
      for (const door of DOORS) {
        await manage('PUT', `/companies/cmp_spare_${door}_${role}`, {
          name: 'Spare',
          plan: { tier: 'other', cycle: 'monthly' },
        });
        await manage('PUT', `/companies/cmp_spare_${door}_${role}/members/${sub}`, member);
        const spare = { companyId: company, name: 'Spare', region: 'eu', defaultLanguage: 'en' };
        await manage('PUT', `/projects/prj_spare_${door}_${role}`, spare);
      }
      const minted = await ask(`${demo.base_url}/dev/tokens`, { method: 'POST', body: { sub } });
      tokens.set(role, minted.json.token);
    }
  });

  /** Returns the path for a call. Resources that an allowed call removes have a copy per credential and role. */
  function pathFor({ operationId, path, credential }: Operation, role: string): string {
    const spare = `spare_${credential}_${role}`;
    const ids: Record<string, string> = {
      companyId: operationId === 'deleteCompany' ? `cmp_${spare}` : OTHER.company,
      projectId: operationId === 'deleteProject' ? `prj_${spare}` : OTHER.project,
      reportId: OTHER.report,
    };
    return path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'some-id');
  }

  const asked = [...managementOperations, ...consoleOperations, ...ofMembers].flatMap((operation) => {
    const { permission } = operation;
    const name = nameOf(operation);
    if (permission === undefined) throw new Error(`${name} names no permission`);
    return ROLES.map((role) => ({ name, role, operation, is: isGrantedByRole(role, permission) }));
  });

  it.each(asked)('answers $name for the role $role with $is', async ({ operation, role, is }) => {
    const answer = await ask(addressOf(demo, operation.host) + pathFor(operation, role), {
      method: operation.method.toUpperCase(),
      bearer: tokens.get(role) ?? '',
      ...notJson(operation),
    });
    expect(answer.status, answer.text).not.toBe(401);
    expect(answer.status !== 403, answer.text).toBe(is);
  });
});

describe('the permissions of API tokens', () => {
  /** Returns the status of an operation with a token, and a body that fails after the access check. */
  async function statusWith(token: string, operation: Operation): Promise<number> {
    const ids: Record<string, string> = {
      companyId: OTHER.company,
      projectId: OTHER.project,
      reportId: OTHER.report,
    };
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) => ids[name] ?? 'some-id');
    const answer = await ask(addressOf(demo, operation.host) + path, {
      method: operation.method.toUpperCase(),
      bearer: token,
      ...notJson(operation),
    });
    return answer.status;
  }

  async function tokenWith(body: object): Promise<string> {
    const path = `/companies/${OTHER.company}/tokens`;
    return (await manage('POST', path, { name: 'one', kind: 'service', ...body })).token;
  }

  const asked = [...managementOperations, ...ofMembers];
  const reading = asked.filter(
    ({ method, permission }) => method === 'get' && permission !== undefined && isOfRole(permission),
  );

  it('allows a token exactly the permissions that it carries', async () => {
    const carried = new Set(['directory.read', 'conversations.read', 'comments.read', 'insights.read']);
    for (const { operationId, permission } of reading) {
      if (permission === undefined || !carried.delete(permission)) continue;
      const token = await tokenWith({ permissions: [permission] });
      for (const operation of asked) {
        const isAllowed = operation.permission === permission;
        if (isAllowed && operation.method !== 'get') continue;
        const status = await statusWith(token, operation);
        expect([operationId, operation.operationId, status !== 403]).toEqual([
          operationId,
          operation.operationId,
          isAllowed,
        ]);
      }
    }
  });

  it('allows a service token to act as itself, and a personal token as its person', async () => {
    const annotations = `${demo.base_url}/v1/projects/${OTHER.project}/annotations`;
    const body = { startsOn: '2026-03-01', text: 'Deployed', tags: ['release'] };
    const service = await tokenWith({ permissions: ['annotations.write', 'annotations.read'] });
    for (const [bearer, name] of [
      [service, null],
      [otherTokens.personal, 'Olu Adeyemi'],
    ] as const) {
      const made = await ask(annotations, { method: 'POST', bearer, body });
      expect([made.status, made.json.createdByName, made.json.canChange]).toEqual([201, name, true]);
      const one = `${annotations}/${made.json.id}`;
      const theirs = await ask(one, { method: 'DELETE', bearer: demo.tokens.outsider });
      expect(theirs.status).toBe(name === null ? 403 : 204);
      expect((await ask(one, { method: 'DELETE', bearer })).status).toBe(204);
    }
  });

  it('refuses a token of one project in other projects and in the company', async () => {
    const token = await tokenWith({ permissions: ['directory.read'], projectIds: [OTHER.project] });
    const reads = managementOperations.filter(({ permission }) => permission === 'directory.read');
    for (const operation of reads) {
      const status = await statusWith(token, operation);
      expect([operation.operationId, status !== 403]).toEqual([
        operation.operationId,
        operation.path.includes('{projectId}'),
      ]);
    }
  });

  it('refuses a revoked token everywhere within a second', async () => {
    const path = `/companies/${OTHER.company}/tokens`;
    const { id, token } = await manage('POST', path, {
      name: 'one',
      kind: 'service',
      permissions: ['flags.read', 'messenger.read', 'events.read', 'comments.read'],
    });
    const used = asked.filter(({ operationId }) =>
      ['listFlags', 'getMessengerSettings', 'findEvent', 'listThreads', 'listEvents'].includes(operationId),
    );
    for (const operation of used) expect(await statusWith(token, operation)).not.toBe(401);
    await manage('DELETE', `${path}/${id}`);
    await eventually(
      async () => {
        for (const operation of used) expect(await statusWith(token, operation)).toBe(401);
      },
      { withinMs: 5_000 },
    );
  });
});

describe('a person who answers visitors', () => {
  it('lets a person answer visitors from the console as themselves, with no other permission beyond those of a viewer', async () => {
    const { company, project } = OTHER;
    const sub = 'sub-answers';
    await manage('PUT', `/companies/${company}/members/${sub}`, {
      name: 'Mina',
      email: 'mina@other.example',
      role: 'support',
    });
    const { token } = (await ask(`${demo.base_url}/dev/tokens`, { method: 'POST', body: { sub } })).json;
    const as = (method: string, path: string, body?: unknown) =>
      ask(`${demo.base_url}/v1${path}`, { method, bearer: token, body });
    const opened = await ask(`${demo.base_url}/v1/conversations`, {
      method: 'POST',
      bearer: otherKey,
      body: { distinctId: 'visitor-1' },
    });
    const { conversationId } = opened.json;

    const mine = await as('GET', '/me');
    expect(mine.json.companies).toEqual([expect.objectContaining({ id: company, role: 'support' })]);
    expect(mine.json.companies[0].permissions).toContain('conversations.reply');
    expect((await as('GET', '/projects')).json.projects.map(({ id }: { id: string }) => id)).toContain(
      project,
    );

    const conversations = `/projects/${project}/conversations`;
    const listed = await as('GET', conversations);
    expect(listed.json.conversations.map(({ id }: { id: string }) => id)).toContain(conversationId);
    const replied = await as('POST', `${conversations}/${conversationId}/turns`, { body: 'Hello!' });
    expect([replied.status, replied.json.turn.authorId]).toEqual([201, sub]);
    const asOther = { authorId: 'grace', body: 'Hello!' };
    expect((await as('POST', `${conversations}/${conversationId}/turns`, asOther)).status).toBe(403);
    const status = await as('PUT', `${conversations}/${conversationId}/status`, { status: 'resolved' });
    expect(status.json).toEqual({ status: 'resolved' });

    const flag = { enabled: true, rolloutPercentage: 100 };
    expect((await as('GET', `/projects/${project}/flags`)).status).toBe(200);
    expect((await as('PUT', `/projects/${project}/flags/mine`, flag)).status).toBe(403);
    expect((await as('GET', `/projects/${demo.project_id}/conversations`)).status).toBe(403);
  });
});

describe('an operator with every permission', () => {
  it('grants an operator no permission on the console, not even to write as another person of their own company', async () => {
    const { company, project } = OTHER;
    const sub = z.object({ operator: z.string() }).parse(demo['subs']).operator;
    const flags = `${demo.base_url}/v1/projects/${project}/flags`;
    const flag = {
      method: 'PUT',
      bearer: demo.tokens.operator,
      body: { enabled: true, rolloutPercentage: 1 },
    };
    expect((await ask(`${flags}/operators`, flag)).status).toBe(403);
    await manage('PUT', `/companies/${company}/members/${sub}`, { name: 'Op', email: 'op@other.example' });
    await eventually(async () =>
      expect((await ask(flags, { bearer: demo.tokens.operator })).status).toBe(200),
    );
    expect((await ask(`${flags}/operators`, flag)).status).toBe(403);
    const url = `${demo.base_url}/v1/companies/${company}`;
    const companyNow = (await ask(url, { bearer: demo.tokens.operator })).json;
    const renamed = { method: 'PUT', bearer: demo.tokens.operator, body: { ...companyNow, name: 'Mine' } };
    expect((await ask(url, renamed)).status).toBe(403);
    await manage('DELETE', `/companies/${company}/members/${sub}`);
  });
});

refusals('operations on a project of another region', () => {
  it.each(ofProjects)(
    'refuses $operationId with 403 before it reads the body, for callers who may use the project',
    async (operation) => {
      const { operator, owner } = demo.tokens;
      const answer = await ask(urlOf(operation, 'prj_shop_us'), {
        method: operation.method.toUpperCase(),
        bearer: operation.credential === 'management' ? operator : owner,
        ...notJson(operation),
      });
      expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('region us')]);
    },
  );
});

describe('a member of one company, with ids of another project', () => {
  const own = () => `${demo.base_url}/v1/projects/${OTHER.project}`;
  const theirs = () => `${demo.base_url}/v1/projects/${demo.project_id}`;
  const me = () => demo.tokens.outsider;

  it('refuses a member the annotations, reports, threads and comments of another project', async () => {
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
  it('refuses to open a conversation of another project, even with its token', async () => {
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

  it('returns flags, cohorts, messages, texts and pictures of the project of the key only', async () => {
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

  it('stores events in the project of the key only, whatever project the body names', async () => {
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
