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
  const clock = { now: () => new Date('2026-03-01T09:00:00Z') };
  tokens = createScimTokens({ store, clock });
  const accounts = createAccounts({ store: createAccountsStore(database.drizzle) });
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
