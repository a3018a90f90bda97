import type { Tx } from '@switchboard/database';
import { type Database, openDatabase } from '@switchboard/database';
import { RateLimited } from '@switchboard/http';
import { testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccounts } from '../accounts/accounts.ts';
import { createAccountsStore } from '../accounts/store.ts';
import type { Membership, Memberships } from '../memberships/memberships.ts';
import { identityMigrations } from '../schema/migrations.ts';
import { createGroupRoles } from './group-roles.ts';
import { createScimGroups } from './groups.ts';
import { scimRoutes } from './routes.ts';
import { createScimStore, type ScimStore } from './store.ts';
import { createScimTokens, type ScimTokens } from './tokens.ts';
import { createScimUsers } from './users.ts';

const BASE = 'https://id.example.com/scim/v2';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

let test: Awaited<ReturnType<typeof testDatabase>>;
let database: Database;
let store: ScimStore;
let tokens: ScimTokens;
let app: ReturnType<typeof scimRoutes>;
let members: Map<string, Membership>;
let wait: number | undefined;
beforeAll(async () => {
  test = await testDatabase({ migrations: [identityMigrations] });
  database = openDatabase({ url: test.url, applicationName: 'test' });
  store = createScimStore(database.drizzle);
});
afterAll(async () => {
  await database.close();
  await test.drop();
});

const clock = { now: () => new Date('2026-03-01T09:00:00Z') };
let companies = 0;
let company: string;
let token: string;
beforeEach(async () => {
  members = new Map();
  wait = undefined;
  const memberships: Memberships = {
    async set(_: Tx, member) {
      members.set(`${member.companyId} ${member.sub}`, member);
    },
    async remove(_: Tx, { companyId, sub }) {
      members.delete(`${companyId} ${sub}`);
    },
  };
  tokens = createScimTokens({ store, clock });
  const accounts = createAccounts({ store: createAccountsStore(database.drizzle), clock });
  app = scimRoutes({
    tokens,
    users: createScimUsers({
      store,
      memberships,
      accounts,
      vouchesFor: async (_, email) => !email.endsWith('@bank.example'),
      clock,
      baseUrl: BASE,
    }),
    groups: createScimGroups({ store, memberships, clock, baseUrl: BASE }),
    baseUrl: BASE,
    limit: async () => {
      if (wait !== undefined) throw new RateLimited('Too many requests.', wait);
    },
  });
  company = `company-${++companies}`;
  token = await newToken(company);
});

async function newToken(of: string): Promise<string> {
  const created = await tokens.create(of, 'Entra ID');
  return created?.token ?? '';
}

async function send(method: string, path: string, body?: unknown, as = token) {
  const response = await app.request(
    path,
    {
      method,
      headers: { Authorization: `Bearer ${as}`, 'Content-Type': 'application/scim+json' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    },
    { address: '192.0.2.1' },
  );
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

const ada = {
  schemas: [USER, ENTERPRISE],
  userName: 'Ada@Example.com',
  externalId: 'entra-1',
  active: true,
  name: { givenName: 'Ada', familyName: 'Lovelace' },
  emails: [{ primary: true, type: 'work', value: 'Ada@Example.com' }],
  [ENTERPRISE]: { department: 'Research' },
};
const patch = (...Operations: object[]) => ({ schemas: [PATCH], Operations });
const memberList = () => [...members.values()].map(({ name, role }) => [name, role]);

describe('users of a provider', () => {
  it('creates a user as a member of the company, and answers the attributes as sent', async () => {
    const { status, headers, body } = await send('POST', '/Users', {
      ...ada,
      password: 'secret',
      id: 'mine',
    });
    expect(status).toBe(201);
    expect(headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
    expect(headers.get('location')).toBe(`${BASE}/Users/${body.id}`);
    expect(body).toEqual({
      ...ada,
      id: expect.stringMatching(/^scu_/),
      groups: [],
      meta: {
        resourceType: 'User',
        created: '2026-03-01T09:00:00.000Z',
        lastModified: '2026-03-01T09:00:00.000Z',
        location: `${BASE}/Users/${body.id}`,
      },
    });
    expect([...members.values()]).toEqual([
      {
        companyId: company,
        sub: expect.stringMatching(/^usr_/),
        name: 'Ada Lovelace',
        email: 'ada@example.com',
        role: 'viewer',
      },
    ]);
    expect((await send('GET', `/Users/${body.id}`)).body).toEqual(body);
  });

  it('rejects a second user with the same name in other case, or with the same address', async () => {
    await send('POST', '/Users', ada);
    const again = await send('POST', '/Users', { ...ada, userName: 'ADA@example.com' });
    expect(again).toMatchObject({ status: 409, body: { status: '409', scimType: 'uniqueness' } });
    const shared = await send('POST', '/Users', { ...ada, userName: 'ada2' });
    expect(shared).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
  });

  it.each([
    ['no user name', { ...ada, userName: undefined }, /^userName: /],
    ['no e-mail address', { userName: 'ada' }, /^emails: /],
    ['a user name of white space', { ...ada, userName: ' ' }, /^userName: /],
  ])('rejects a user with %s', async (_, body, detail) => {
    const answer = await send('POST', '/Users', body);
    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    expect(answer.body.detail).toMatch(detail);
    expect(members.size).toBe(0);
  });

  it('rejects a body that is not JSON, and one over a mebibyte', async () => {
    expect(await send('POST', '/Users', '{')).toMatchObject({
      status: 400,
      body: { scimType: 'invalidSyntax' },
    });
    const large = { ...ada, displayName: 'x'.repeat(1_100_000) };
    expect((await send('POST', '/Users', large)).status).toBe(413);
    expect((await send('POST', '/Users', { ...ada, title: 'x'.repeat(20_000) })).status).toBe(413);
  });

  it.each([
    ['a word, as Entra ID sends it', { op: 'Replace', path: 'active', value: 'False' }],
    ['a boolean', { op: 'replace', path: 'active', value: false }],
    ['an object without a path, as Okta sends it', { op: 'replace', value: { active: false } }],
  ])('ends the membership of a user set inactive with %s, and restores it', async (_, operation) => {
    const { body } = await send('POST', '/Users', ada);
    const answer = await send('PATCH', `/Users/${body.id}`, patch(operation));
    expect(answer).toMatchObject({ status: 200, body: { active: false } });
    expect(memberList()).toEqual([]);
    await send('PATCH', `/Users/${body.id}`, patch({ op: 'replace', path: 'active', value: true }));
    expect(memberList()).toEqual([['Ada Lovelace', 'viewer']]);
  });

  it('changes attributes by path, filter and extension', async () => {
    const { body } = await send('POST', '/Users', ada);
    const answer = await send(
      'PATCH',
      `/Users/${body.id}`,
      patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'countess@example.com' },
        { op: 'Add', path: 'name.givenName', value: 'Augusta' },
        { op: 'add', path: `${ENTERPRISE}:department`, value: 'Engines' },
        { op: 'remove', path: 'externalId' },
      ),
    );
    expect(answer).toMatchObject({
      status: 200,
      body: {
        name: { givenName: 'Augusta', familyName: 'Lovelace' },
        emails: [{ value: 'countess@example.com' }],
        [ENTERPRISE]: { department: 'Engines' },
      },
    });
    expect(answer.body).not.toHaveProperty('externalId');
    expect([...members.values()]).toMatchObject([
      { sub: expect.stringMatching(/^usr_/), email: 'countess@example.com', name: 'Augusta Lovelace' },
    ]);
  });

  it.each([
    [{ op: 'add', path: '__proto__.polluted', value: 'yes' }],
    [{ op: 'add', path: 'constructor.prototype.polluted', value: 'yes' }],
    [{ op: 'add', value: JSON.parse('{"__proto__":{"polluted":"yes"}}') }],
    [{ op: 'add', value: JSON.parse('{"__proto__.polluted":"yes"}') }],
  ])('rejects an operation that reaches the prototype of objects: %j', async (operation) => {
    const { body } = await send('POST', '/Users', ada);
    const answer = await send('PATCH', `/Users/${body.id}`, patch(operation));
    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidPath' } });
    expect({}).not.toHaveProperty('polluted');
  });

  it.each([
    [patch({ op: 'replace', path: 'userName', value: 5 })],
    [patch({ op: 'move', path: 'userName', value: 'x' })],
    [{ schemas: [PATCH] }],
    [patch({ op: 'replace', path: 'emails[', value: 'x' })],
  ])('rejects the patch %j and changes nothing', async (body) => {
    const { body: before } = await send('POST', '/Users', ada);
    expect((await send('PATCH', `/Users/${before.id}`, body)).status).toBe(400);
    expect((await send('GET', `/Users/${before.id}`)).body).toEqual(before);
  });

  it.each([
    [
      'line breaks in the filter of a path',
      { op: 'add', path: `emails[type eq "${'\n'.repeat(24)}].value`, value: 'x' },
    ],
    ['a name of 201 characters', { op: 'add', value: { ['.'.repeat(201)]: 'x' } }],
    ['33 levels', { op: 'add', path: 'title', value: JSON.parse(`${'['.repeat(33)}${']'.repeat(33)}`) }],
    ['1,001 values', { op: 'add', path: 'emails', value: Array(1001).fill('x') }],
  ])('rejects an operation with %s', async (_, operation) => {
    const { body } = await send('POST', '/Users', ada);
    const { status, body: answer } = await send('PATCH', `/Users/${body.id}`, patch(operation));
    expect([400, 413]).toContain(status);
    expect(answer.detail).toMatch(
      /^Operations: (contains a control|a name is longer|a value is nested|more than 1000)/,
    );
  });

  it('rejects the 101st operation of a user', async () => {
    const { body } = await send('POST', '/Users', ada);
    const operations = Array(101).fill({ op: 'add', path: 'title', value: 'x' });
    expect((await send('PATCH', `/Users/${body.id}`, patch(...operations))).status).toBe(413);
  });

  it.each([
    ['a NUL', { displayName: 'Ada\0' }],
    ['an unpaired surrogate', { displayName: 'Ada\ud800' }],
    ['a NUL in an unknown attribute', { title: ['\0'] }],
    ['65 levels', { title: JSON.parse(`${'['.repeat(65)}${']'.repeat(65)}`) }],
    ['an address of 255 characters', { emails: [{ value: `${'a'.repeat(60)}@${'b.'.repeat(95)}example` }] }],
  ])('rejects a user with %s, created or changed', async (_, attributes) => {
    const { body } = await send('POST', '/Users', ada);
    const long = { ...ada, ...attributes };
    expect((await send('PUT', `/Users/${body.id}`, long)).status).toBe(400);
    expect((await send('POST', '/Users', { ...long, userName: 'other' })).status).toBe(400);
    expect(memberList()).toEqual([['Ada Lovelace', 'viewer']]);
  });

  it('names a user without a visible display name by the next name', async () => {
    await send('POST', '/Users', { ...ada, displayName: '  ' });
    expect(memberList()).toEqual([['Ada Lovelace', 'viewer']]);
  });

  it('rejects an address of a domain that the company has not verified', async () => {
    const ceo = { userName: 'ceo@bank.example' };
    expect(await send('POST', '/Users', ceo)).toMatchObject({
      status: 400,
      body: { scimType: 'invalidValue' },
    });
    const { body } = await send('POST', '/Users', ada);
    const moved = patch({ op: 'replace', path: 'emails[type eq "work"].value', value: 'ceo@bank.example' });
    expect((await send('PATCH', `/Users/${body.id}`, moved)).status).toBe(400);
    expect(members.size).toBe(1);
    const accounts = await database.sql`select 1 from accounts where email = 'ceo@bank.example'`;
    expect(accounts).toHaveLength(0);
  });

  it('replaces a user whole, and removes one with the membership', async () => {
    const { body } = await send('POST', '/Users', ada);
    const { externalId: _, ...rest } = ada;
    const replaced = await send('PUT', `/Users/${body.id}`, { ...rest, displayName: 'Countess' });
    expect(replaced.body).not.toHaveProperty('externalId');
    expect(memberList()).toEqual([['Countess', 'viewer']]);
    expect((await send('DELETE', `/Users/${body.id}`)).status).toBe(204);
    expect(memberList()).toEqual([]);
    expect(await send('GET', `/Users/${body.id}`)).toMatchObject({ status: 404, body: { status: '404' } });
    expect((await send('DELETE', `/Users/${body.id}`)).status).toBe(404);
  });
});

describe('lists of users', () => {
  const find = async (query: string) => {
    const { status, body } = await send('GET', `/Users?${query}`);
    return {
      status,
      total: body.totalResults,
      names: body.Resources?.map(({ userName }: { userName: string }) => userName),
    };
  };
  const filter = (text: string) => find(`filter=${encodeURIComponent(text)}`);

  beforeEach(async () => {
    await send('POST', '/Users', ada);
    for (const name of ['grace', 'linus', 'margaret']) {
      await send('POST', '/Users', { userName: `${name}@example.com`, active: name !== 'linus' });
    }
  });

  it.each([
    ['userName eq "ada@example.com"', ['Ada@Example.com']],
    ['userName eq "absent"', []],
    ['externalId eq "entra-1"', ['Ada@Example.com']],
    ['userName sw "gr"', ['grace@example.com']],
    ['active eq false', ['linus@example.com']],
    ['emails[type eq "work"]', ['Ada@Example.com']],
    ['userName eq "grace@example.com" or externalId eq "entra-1"', ['Ada@Example.com', 'grace@example.com']],
    ['externalId eq "entra-1" and active eq false', []],
  ])('finds users by the filter %s', async (text, names) => {
    expect(await filter(text)).toEqual({ status: 200, total: names.length, names });
  });

  it('rejects a filter with line breaks in a text without an end', async () => {
    const text = `userName eq "${'\n'.repeat(24)}`;
    const answer = await send('GET', `/Users?filter=${encodeURIComponent(text)}`);
    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidFilter' } });
  });

  it.each(['userName eq', 'nonsense(', 'x'.repeat(1001)])('rejects the filter %s', async (text) => {
    expect((await filter(text)).status).toBe(400);
  });

  it('pages through a list with startIndex and count', async () => {
    expect(await find('startIndex=2&count=2')).toEqual({
      status: 200,
      total: 4,
      names: ['grace@example.com', 'linus@example.com'],
    });
    expect(await find('startIndex=5')).toEqual({ status: 200, total: 4, names: [] });
    expect(await find('count=0')).toEqual({ status: 200, total: 4, names: [] });
    expect((await find('count=x')).status).toBe(400);
  });
});

describe('a search by POST', () => {
  const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
  const search = (path: string, request: object) =>
    send('POST', `${path}/.search`, { schemas: [SEARCH], ...request });
  const labels = ({ Resources }: { Resources: { userName?: string; displayName?: string }[] }) =>
    Resources.map(({ userName, displayName }) => userName ?? displayName);

  beforeEach(async () => {
    const { body } = await send('POST', '/Users', ada);
    await send('POST', '/Users', { userName: 'grace@example.com' });
    for (const displayName of ['Team', 'Crew']) {
      await send('POST', '/Groups', { displayName, members: [{ value: body.id }] });
    }
  });

  it('answers users or groups as the query with the same parameters', async () => {
    const filter = 'userName eq "ada@example.com"';
    const { status, body } = await search('/Users', { filter, attributes: ['userName', 'active'] });
    const query = `filter=${encodeURIComponent(filter)}&attributes=userName,active`;
    expect([status, body]).toEqual([200, (await send('GET', `/Users?${query}`)).body]);
    expect(body.totalResults).toBe(1);
    const { body: groups } = await search('/Groups', { count: 1, excludedAttributes: ['members'] });
    expect(groups).toMatchObject({ totalResults: 2, startIndex: 1, itemsPerPage: 1 });
    expect(groups.Resources[0]).not.toHaveProperty('members');
  });

  it('finds users and groups together, page by page', async () => {
    const { body: all } = await search('', {});
    expect(all).toMatchObject({ totalResults: 4, itemsPerPage: 4 });
    expect(labels(all)).toEqual(['Ada@Example.com', 'grace@example.com', 'Team', 'Crew']);
    const pages = [];
    for (const startIndex of [1, 2, 3, 4, 5]) {
      const { body } = await search('', { startIndex, count: 2 });
      pages.push([body.totalResults, body.itemsPerPage, ...labels(body)]);
    }
    expect(pages).toEqual([
      [4, 2, 'Ada@Example.com', 'grace@example.com'],
      [4, 2, 'grace@example.com', 'Team'],
      [4, 2, 'Team', 'Crew'],
      [4, 1, 'Crew'],
      [4, 0],
    ]);
    const { body: groups } = await search('', {
      filter: 'meta.resourceType eq "Group" and displayName eq "crew"',
    });
    expect(labels(groups)).toEqual(['Crew']);
  });

  it.each([
    ['a filter that cannot be parsed', { filter: 'userName eq' }, 'invalidFilter'],
    ['a filter of 1,001 characters', { filter: 'x'.repeat(1_001) }, 'invalidFilter'],
    ['101 attributes', { attributes: Array(101).fill('title') }, 'invalidValue'],
    ['a fraction as its count', { count: 1.5 }, 'invalidValue'],
    ['a body that is not an object', [], 'invalidValue'],
  ])('rejects %s', async (_, request, scimType) => {
    for (const path of ['', '/Users', '/Groups']) {
      const answer = await send('POST', `${path}/.search`, request);
      expect(answer).toMatchObject({ status: 400, body: { scimType } });
    }
  });

  it('finds nothing of another company', async () => {
    const foreign = await newToken(`${company}-of-others`);
    for (const path of ['', '/Users', '/Groups']) {
      const { body } = await send('POST', `${path}/.search`, { schemas: [SEARCH] }, foreign);
      expect(body).toMatchObject({ totalResults: 0, Resources: [] });
    }
  });
});

describe('groups of a provider', () => {
  it('gives members the greatest role of their groups, and takes it back', async () => {
    await createGroupRoles(store).replace(company, [
      { group: 'Admins', role: 'admin' },
      { group: 'readers', role: 'support' },
    ]);
    const { body: user } = await send('POST', '/Users', ada);
    const members = [{ value: user.id }];
    const { body: readers } = await send('POST', '/Groups', { displayName: 'Readers', members });
    expect(memberList()).toEqual([['Ada Lovelace', 'support']]);
    const { body: admins, status } = await send('POST', '/Groups', { displayName: 'Admins' });
    expect(status).toBe(201);
    await send('PATCH', `/Groups/${admins.id}`, patch({ op: 'Add', path: 'members', value: members }));
    expect(memberList()).toEqual([['Ada Lovelace', 'admin']]);
    expect((await send('GET', `/Users/${user.id}`)).body.groups).toEqual([
      { value: readers.id, display: 'readers', $ref: `${BASE}/Groups/${readers.id}` },
      { value: admins.id, display: 'admins', $ref: `${BASE}/Groups/${admins.id}` },
    ]);
    const path = `members[value eq "${user.id}"]`;
    await send('PATCH', `/Groups/${admins.id}`, patch({ op: 'remove', path }));
    expect(memberList()).toEqual([['Ada Lovelace', 'support']]);
    await send('DELETE', `/Groups/${readers.id}`);
    expect(memberList()).toEqual([['Ada Lovelace', 'viewer']]);
  });

  it('adds, removes and replaces members in each form that providers send', async () => {
    const ids: string[] = [];
    for (const name of ['grace', 'linus', 'margaret']) {
      ids.push((await send('POST', '/Users', { userName: `${name}@example.com` })).body.id);
    }
    const [grace, linus, margaret] = ids.map((value) => ({ value }));
    const { body: group } = await send('POST', '/Groups', { displayName: 'Team', members: [grace] });
    const after = async (...operations: object[]) => {
      const { body } = await send('PATCH', `/Groups/${group.id}`, patch(...operations));
      return [body.displayName, ...body.members.map(({ value }: { value: string }) => ids.indexOf(value))];
    };
    expect(await after({ op: 'Add', path: 'members', value: [linus, linus] })).toEqual(['Team', 0, 1]);
    expect(await after({ op: 'add', value: { members: [margaret], displayName: 'Crew' } })).toEqual([
      'Crew',
      0,
      1,
      2,
    ]);
    expect(await after({ op: 'Remove', path: 'members', value: [grace] })).toEqual(['Crew', 1, 2]);
    expect(await after({ op: 'remove', path: `members[value eq "${ids[1]}"]` })).toEqual(['Crew', 2]);
    expect(await after({ op: 'replace', path: 'members', value: [grace, linus] })).toEqual(['Crew', 0, 1]);
    expect(await after({ op: 'remove', path: 'members' })).toEqual(['Crew']);
    const odd = await send(
      'PATCH',
      `/Groups/${group.id}`,
      patch({ op: 'replace', path: 'members.value', value: 'x' }),
    );
    expect(odd).toMatchObject({ status: 400, body: { scimType: 'invalidPath' } });
  });

  it('omits members when asked, and replaces them whole', async () => {
    const { body: user } = await send('POST', '/Users', ada);
    const { body: group } = await send('POST', '/Groups', {
      displayName: 'Team',
      members: [{ value: user.id }],
    });
    expect(group.members).toEqual([
      { value: user.id, display: 'ada@example.com', $ref: `${BASE}/Users/${user.id}` },
    ]);
    const { body: bare } = await send('GET', `/Groups/${group.id}?excludedAttributes=members`);
    expect(bare).not.toHaveProperty('members');
    const { body: found } = await send(
      'GET',
      `/Groups?filter=${encodeURIComponent('displayName eq "team"')}`,
    );
    expect(found).toMatchObject({ totalResults: 1, Resources: [{ displayName: 'Team' }] });
    const replaced = await send('PUT', `/Groups/${group.id}`, { displayName: 'Team', members: [] });
    expect(replaced.body.members).toEqual([]);
  });

  it('rejects a second group of the name, and members that are not users of the company', async () => {
    await send('POST', '/Groups', { displayName: 'Team' });
    expect((await send('POST', '/Groups', { displayName: 'team' })).status).toBe(409);
    const foreign = await send('POST', '/Users', ada, await newToken('another company'));
    const answer = await send('POST', '/Groups', {
      displayName: 'Other',
      members: [{ value: foreign.body.id }],
    });
    expect(answer.status).toBe(400);
    expect(answer.body.detail).toContain(foreign.body.id);
  });
});

describe('a token of SCIM', () => {
  it('opens only the users and groups of its company', async () => {
    const { body } = await send('POST', '/Users', ada);
    const foreign = await newToken('a third company');
    for (const method of ['GET', 'DELETE']) {
      expect((await send(method, `/Users/${body.id}`, undefined, foreign)).status).toBe(404);
    }
    expect((await send('GET', '/Users', undefined, foreign)).body.totalResults).toBe(0);
    expect((await send('GET', `/Users/${body.id}`)).status).toBe(200);
  });

  it('is rejected when it is unknown, malformed or removed', async () => {
    const [stored] = await tokens.list(company);
    await tokens.remove(company, stored?.id ?? '');
    for (const one of [token, 'scim_unknown', 'x', `scim_${'x'.repeat(1000)}`]) {
      const answer = await send('GET', '/Users', undefined, one);
      expect(answer).toMatchObject({ status: 401, body: { status: '401' } });
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    }
  });

  it('gets 429 past the limit', async () => {
    wait = 7;
    const answer = await send('GET', '/Users');
    expect(answer).toMatchObject({ status: 429, body: { status: '429' } });
    expect(answer.headers.get('retry-after')).toBe('7');
  });

  it('is stored as a hash, and at most five of a company exist', async () => {
    for (let more = 0; more < 4; more++) await newToken(company);
    expect(await tokens.create(company, 'sixth')).toBeUndefined();
    const rows = await database.sql`select * from scim_tokens where company_id = ${company}`;
    expect(rows).toHaveLength(5);
    expect(JSON.stringify(rows)).not.toContain(token.slice(5));
  });
});

describe('an account that a provider created', () => {
  const accountsOf = (email: string) => database.sql`select 1 from accounts where email = ${email}`;
  const provision = async (as = token) =>
    (await send('POST', '/Users', { userName: 'joan@example.com' }, as)).body.id as string;

  it('is removed with its last user, if its person never used it', async () => {
    const other = await newToken(`${company}-other`);
    const [id, otherId] = [await provision(), await provision(other)];
    await send('DELETE', `/Users/${id}`);
    expect(await accountsOf('joan@example.com')).toHaveLength(1);
    await send('DELETE', `/Users/${otherId}`, undefined, other);
    expect(await accountsOf('joan@example.com')).toHaveLength(0);
  });

  it('stays with its person once they have signed in', async () => {
    const id = await provision();
    await database.sql`update accounts set used_at = now() where email = 'joan@example.com'`;
    await send('DELETE', `/Users/${id}`);
    expect(await accountsOf('joan@example.com')).toHaveLength(1);
    await database.sql`delete from accounts where email = 'joan@example.com'`;
  });
});

describe('a large company', () => {
  /** Adds users and memberships of groups without the interface, which takes one request for each. */
  async function fill(users: number, groups: number): Promise<void> {
    await database.sql`
      insert into scim_users (company_id, id, account_id, user_name, attributes, created_at, updated_at)
      select ${company}, 'scu_' || lpad(n::text, 5, '0'), 'usr_' || n, n || '@example.com',
        json_build_object('userName', n || '@example.com', 'active', true), now(), now()
      from generate_series(1, ${users}) n`;
    await database.sql`
      insert into scim_groups (company_id, id, group_name, attributes, created_at, updated_at)
      select ${company}, 'scg_' || n, 'group ' || n, json_build_object('displayName', 'Group ' || n), now(), now()
      from generate_series(1, ${groups}) n`;
    await database.sql`
      insert into scim_group_members (company_id, group_id, user_id)
      select company_id, g.id, u.id from scim_groups g join scim_users u using (company_id)
      where company_id = ${company}`;
  }

  it('gets its groups without members, or a few at a time, past 20,000 members', async () => {
    await fill(7_000, 3);
    expect(await send('GET', '/Groups')).toMatchObject({ status: 400, body: { scimType: 'tooMany' } });
    expect((await send('GET', '/Groups?excludedAttributes=members')).body.Resources).toHaveLength(3);
    const { status, body } = await send('GET', '/Groups?count=2');
    expect([status, body.totalResults, body.Resources[1].members.length]).toEqual([200, 3, 7_000]);
  });

  it('changes only the users who join or leave a group, unless its name changes', async () => {
    await fill(700, 1);
    const changed = async (...operations: object[]) => {
      members.clear();
      await send('PATCH', '/Groups/scg_1?excludedAttributes=members', patch(...operations));
      return members.size;
    };
    expect(await changed({ op: 'remove', path: 'members[value eq "scu_00007"]' })).toBe(1);
    expect(await changed({ op: 'add', path: 'members', value: [{ value: 'scu_00007' }] })).toBe(1);
    expect(await changed({ op: 'replace', path: 'displayName', value: 'Crew' })).toBe(700);
  });

  it('is listed from any index, without reading all of it', async () => {
    await fill(1_200, 0);
    const { body } = await send('GET', '/Users?startIndex=1199&count=50');
    expect(body).toMatchObject({ totalResults: 1_200, startIndex: 1_199, itemsPerPage: 2 });
    expect(body.Resources.map(({ id }: { id: string }) => id)).toEqual(['scu_01199', 'scu_01200']);
  });
});

/** The checks of scim2-tester 0.6 and of Microsoft's SCIM validator, as requests. */
describe('the requests of public validators', () => {
  const joan = {
    schemas: [USER],
    userName: 'joan@example.com',
    displayName: 'Joan',
    nickName: 'J',
    title: 'Engineer',
  };
  const created = async () => (await send('POST', '/Users', joan)).body as { id: string };

  it.each(['ServiceProviderConfig', 'ResourceTypes', 'Schemas'])(
    'get 405 for a change of /%s',
    async (path) => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        expect(await send(method, `/${path}`, {})).toMatchObject({ status: 405, body: { status: '405' } });
      }
    },
  );

  it.each([
    ['ServiceProviderConfig', '/ServiceProviderConfig'],
    ['ResourceType', '/ResourceTypes/User'],
    ['Schema', `/Schemas/${USER}`],
  ])('find the core schema %s, which describes each attribute of its document', async (name, path) => {
    const { body: list } = await send('GET', '/Schemas');
    const { id } = list.Resources.find((one: { name: string }) => one.name === name);
    const { body: schema } = await send('GET', `/Schemas/${id}`);
    const { body: document } = await send('GET', path);
    expect(document.schemas).toEqual([id]);
    const described = (value: object, attributes: { name: string; subAttributes?: [] }[]) => {
      for (const [key, part] of Object.entries(value)) {
        if (['schemas', 'id', 'meta'].includes(key)) continue;
        const attribute = attributes.find((one) => one.name === key);
        expect(attribute, key).toBeDefined();
        for (const one of Array.isArray(part) ? part : [part]) {
          if (typeof one === 'object') described(one, attribute?.subAttributes ?? []);
        }
      }
    };
    described(document, schema.attributes);
  });

  it('find each resource type and each schema of one by its id', async () => {
    const { body: types } = await send('GET', '/ResourceTypes');
    for (const { id, schema, schemaExtensions = [] } of types.Resources) {
      expect((await send('GET', `/ResourceTypes/${id}`)).body).toMatchObject({ id, schema });
      for (const urn of [schema, ...schemaExtensions.map((one: { schema: string }) => one.schema)]) {
        expect((await send('GET', `/Schemas/${urn}`)).body.id).toBe(urn);
      }
    }
  });

  it.each(['/ResourceTypes/none', '/Schemas/none', '/none', '/Users/none', '/Groups/none'])(
    'get an error of SCIM for the unknown address %s',
    async (path) => {
      const answer = await send('GET', path);
      expect(answer).toMatchObject({ status: 404, body: { status: '404' } });
      expect(answer.body.schemas).toEqual(['urn:ietf:params:scim:api:messages:2.0:Error']);
    },
  );

  it('get the attributes that they ask for, and not those that they exclude', async () => {
    const { id } = await created();
    for (const path of [`/Users/${id}`, '/Users']) {
      const only = async (query: string) => {
        const { body } = await send('GET', `${path}?${query}`);
        return Object.keys(body.Resources?.[0] ?? body).sort();
      };
      expect(await only('attributes=nickName')).toEqual(['id', 'nickName', 'schemas']);
      expect(await only(`attributes=${USER}:TITLE,meta.location`)).toEqual([
        'id',
        'meta',
        'schemas',
        'title',
      ]);
      const all = await only('count=1');
      expect(await only('excludedAttributes=nickName,id')).toEqual(all.filter((name) => name !== 'nickName'));
    }
    const answer = await send(
      'PATCH',
      `/Users/${id}?attributes=title`,
      patch({ op: 'remove', path: 'title' }),
    );
    expect(Object.keys(answer.body).sort()).toEqual(['id', 'schemas']);
  });

  it.each([
    ['displayName', 'Joan C.'],
    ['nickName', 'JC'],
    ['title', 'Director'],
    ['profileUrl', 'https://example.com/joan'],
    ['preferredLanguage', 'fr'],
    ['locale', 'fr-CA'],
    ['timezone', 'America/Toronto'],
    ['userType', 'Employee'],
    ['externalId', 'x-1'],
    ['name', { givenName: 'Joan', familyName: 'Clarke' }],
    ['name.honorificPrefix', 'Dr'],
    ['phoneNumbers', [{ value: '+1', type: 'work' }]],
    ['addresses', [{ type: 'work', locality: 'Toronto' }]],
    ['roles', [{ value: 'admin' }]],
    [`${ENTERPRISE}:department`, 'Research'],
    [`${ENTERPRISE}:manager`, { value: 'scu_1' }],
  ])('add, replace and remove %s', async (path, value) => {
    const { id } = await created();
    for (const op of ['add', 'replace'] as const) {
      const { status, body } = await send('PATCH', `/Users/${id}`, patch({ op, path, value }));
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toContain(JSON.stringify(value));
      expect((await send('GET', `/Users/${id}`)).body).toEqual(body);
    }
    const removed = await send('PATCH', `/Users/${id}`, patch({ op: 'remove', path }));
    expect(removed.status).toBe(200);
    expect(JSON.stringify(removed.body)).not.toContain(JSON.stringify(value));
  });

  it.each(['id', 'meta', 'groups', 'meta.created', `${USER}:id`])(
    'cannot change the read-only attribute %s',
    async (path) => {
      const { id } = await created();
      for (const op of ['add', 'replace', 'remove']) {
        const answer = await send('PATCH', `/Users/${id}`, patch({ op, path, value: 'x' }));
        expect(answer).toMatchObject({ status: 400, body: { scimType: 'mutability' } });
      }
    },
  );

  it.each([
    ['/Users', 'userName'],
    ['/Groups', 'displayName'],
  ])('cannot remove the required attribute of %s', async (path, attribute) => {
    const input = path === '/Users' ? joan : { displayName: 'Team' };
    const { body } = await send('POST', path, input);
    for (const operation of [
      { op: 'remove', path: attribute },
      { op: 'replace', path: attribute, value: null },
    ]) {
      expect((await send('PATCH', `${path}/${body.id}`, patch(operation))).status).toBe(400);
    }
    expect((await send('GET', `${path}/${body.id}`)).body).toEqual(body);
  });

  it('remove the whole extension', async () => {
    const { body } = await send('POST', '/Users', ada);
    const answer = await send('PATCH', `/Users/${body.id}`, patch({ op: 'remove', path: ENTERPRISE }));
    expect(answer.status).toBe(200);
    expect(answer.body).not.toHaveProperty([ENTERPRISE]);
  });

  it('disable, find, rename and delete a user as Entra ID does', async () => {
    const { id } = await created();
    const off = { op: 'Replace', path: 'active', value: 'False' };
    expect((await send('PATCH', `/Users/${id}`, patch(off))).body.active).toBe(false);
    const renamed = { op: 'Replace', path: 'userName', value: 'joan.clarke@example.com' };
    await send('PATCH', `/Users/${id}`, patch(renamed));
    const find = (name: string) =>
      send('GET', `/Users?filter=${encodeURIComponent(`userName eq "${name}"`)}`).then(
        ({ body }) => body.totalResults,
      );
    expect(await find('joan@example.com')).toBe(0);
    expect(await find('JOAN.CLARKE@example.com')).toBe(1);
    expect((await send('DELETE', `/Users/${id}`)).status).toBe(204);
    expect((await send('PATCH', `/Users/${id}`, patch(off))).status).toBe(404);
  });
});

it('describes itself to clients', async () => {
  expect((await send('GET', '/ServiceProviderConfig')).body).toMatchObject({
    patch: { supported: true },
    filter: { supported: true, maxResults: 200 },
    bulk: { supported: false },
  });
  expect((await send('GET', '/ResourceTypes')).body).toMatchObject({ totalResults: 2 });
  expect((await send('GET', `/Schemas/${USER}`)).body).toMatchObject({ id: USER, name: 'User' });
  expect((await send('GET', '/Schemas/unknown')).status).toBe(404);
  expect((await send('GET', '/Bulk')).status).toBe(404);
});
