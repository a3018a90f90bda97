import { API_TOKEN_PATTERN } from '@switchboard/contracts';
import { TOKEN_USES_TOPIC } from '@switchboard/directory';
import { eventually } from '@switchboard/testkit';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acme, ada, pro, shop, useCatalogue } from '../testing/harness.ts';

const { catalogue, one } = await useCatalogue();
const people = ['viewer', 'editor', 'admin', 'owner', 'stranger'] as const;
const bearers = new Map<string, string>();

beforeAll(async () => {
  await one.put('/plans/pro/monthly', pro);
  for (const sub of people) bearers.set(sub, await catalogue.tokens.mint({ sub }));
});
beforeEach(async () => {
  for (const company of ['acme', 'other']) await one.reset(`/companies/${company}`);
  for (const company of ['acme', 'other']) await one.put(`/companies/${company}`, acme);
  for (const role of people.slice(0, 4)) await one.put(`/companies/acme/members/${role}`, { ...ada, role });
  await one.put('/companies/other/members/stranger', { ...ada, role: 'owner' });
  await one.put('/projects/shop', shop);
  await one.put('/projects/theirs', { ...shop, companyId: 'other' });
});

type Person = (typeof people)[number];
const using = (bearer: string) => (method: string, path: string, body?: unknown) =>
  one.manage(method, path, body, bearer);
const as = (person: Person) => using(bearers.get(person) ?? '');
const TOKENS = '/companies/acme/tokens';

/** Creates a token and returns the response. */
const create = (person: Person, body: object) =>
  as(person)('POST', TOKENS, { name: 'test', kind: 'personal', permissions: ['directory.read'], ...body });

/** Creates a token and returns its id and value. */
async function make(person: Person, body: object = {}): Promise<{ id: string; token: string }> {
  const made = await create(person, body);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body;
}

const READ = '/companies/acme/members/ada';
const isWorking = async (token: string) => (await using(token)('GET', '/companies/acme')).status;

describe('a personal access token', () => {
  it('returns a token once, in the form that secret scanners know, and stores its hash', async () => {
    const made = await make('viewer');
    expect(made.token).toMatch(API_TOKEN_PATTERN);
    expect(made.token).toMatch(/^sbpat_/);
    const listed = await as('viewer')('GET', TOKENS);
    expect(listed.body.tokens).toMatchObject([{ id: made.id, kind: 'personal', sub: 'viewer' }]);
    expect(JSON.stringify(listed.body)).not.toContain(made.token);
    const sql = await catalogue.sql();
    expect(JSON.stringify(await sql`select * from api_tokens`)).not.toContain(made.token);
    expect(JSON.stringify([...(await catalogue.published())])).not.toContain(made.token);
  });

  it('limits a token to its permissions, and to its company', async () => {
    const { token } = await make('admin', { permissions: ['directory.read'] });
    expect(await isWorking(token)).toBe(200);
    const others = [
      await using(token)('PUT', READ, ada),
      await using(token)('GET', '/companies/other'),
      await using(token)('GET', '/projects/theirs'),
      await using(token)('GET', '/companies'),
    ];
    expect(others.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  });

  it('rejects permissions of a token that its maker or no role has', async () => {
    expect((await create('viewer', { permissions: ['flags.write'] })).status).toBe(403);
    expect((await create('owner', { permissions: ['companies.list'] })).status).toBe(400);
  });

  it('removes permissions of a token at once when its person loses them, and restores them', async () => {
    const { token } = await make('editor', { permissions: ['reports.write', 'directory.read'] });
    const write = async () => (await using(token)('PUT', '/projects/shop/reports/r', { name: 'R' })).status;
    expect(await write()).toBe(200);
    await one.put('/companies/acme/members/editor', { ...ada, role: 'viewer' });
    expect([await write(), await isWorking(token)]).toEqual([403, 200]);
    await one.put('/companies/acme/members/editor', { ...ada, role: 'admin' });
    expect(await write()).toBe(200);
  });

  it('ends a token with the membership, also for a member who comes back', async () => {
    const { token } = await make('viewer');
    await one.remove('/companies/acme/members/viewer');
    await one.put('/companies/acme/members/viewer', { ...ada, role: 'viewer' });
    expect(await isWorking(token)).toBe(401);
  });

  it('limits a token of projects to these, without the company', async () => {
    await one.put('/projects/blog', shop);
    const { token } = await make('admin', { projectIds: ['shop'] });
    const asked = ['/projects/shop', '/projects/blog', '/projects/none', '/companies/acme'];
    const answers = await Promise.all(asked.map((path) => using(token)('GET', path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 403, 403, 403]);
    expect((await create('admin', { projectIds: ['theirs'] })).status).toBe(400);
  });

  it('rejects an expired token, and a lifetime longer than the deployment allows', async () => {
    const { id, token } = await make('viewer', { expiresInDays: 1 });
    expect((await create('viewer', { expiresInDays: 366 })).status).toBe(400);
    const sql = await catalogue.sql();
    await sql`update api_tokens set expires_at = now() - interval '1 second' where id = ${id}`;
    expect(await isWorking(token)).toBe(401);
  });

  it('makes no token for a person who is not a member', async () => {
    const made = await one.manage('POST', TOKENS, {
      name: 'x',
      kind: 'personal',
      permissions: ['directory.read'],
    });
    expect([made.status, made.body.error.message]).toEqual([400, expect.stringMatching(/^kind: /)]);
    expect((await create('stranger', {})).status).toBe(403);
  });
});

it('shows when a token was last used as services report it, and never an earlier time', async () => {
  const { id } = await make('viewer');
  const lastUsedAt = async () => (await as('viewer')('GET', TOKENS)).body.tokens[0].lastUsedAt;
  expect(await lastUsedAt()).toBeNull();
  const [newest, older] = ['2026-03-01T12:00:00.000Z', '2026-03-01T11:00:00.000Z'];
  await catalogue.report(TOKEN_USES_TOPIC, { tokenId: id, at: newest }, { tokenId: id, at: older });
  await eventually(async () => expect(await lastUsedAt()).toBe(newest));
  await catalogue.report(TOKEN_USES_TOPIC, { tokenId: id, at: '2999-01-01T00:00:00.000Z' });
  await eventually(async () => expect(await lastUsedAt()).not.toBe(newest));
  expect(Date.parse(await lastUsedAt())).toBeLessThanOrEqual(Date.now());
});

describe('a wrong token value', () => {
  it.each([
    ['another checksum', (value: string) => `${value.slice(0, -1)}${value.endsWith('A') ? 'B' : 'A'}`],
    ['a prefix of the other kind', (value: string) => value.replace('sbpat_', 'sbsvc_')],
    ['something behind it', (value: string) => `${value}A`],
    ['only the prefix', () => 'sbpat_'],
  ])('answers 401 to a token with %s', async (_, change) => {
    const { token } = await make('viewer');
    const answer = await using(change(token))('GET', '/companies/acme');
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });
});

describe('a service token', () => {
  it('keeps a service token valid when the admin who made it is gone', async () => {
    expect((await create('editor', { kind: 'service' })).status).toBe(403);
    const { token } = await make('admin', { kind: 'service' });
    expect(token).toMatch(/^sbsvc_/);
    await one.remove('/companies/acme/members/admin');
    expect(await isWorking(token)).toBe(200);
  });

  describe('service tokens that could let their maker back in', () => {
    const MEMBER = '/companies/acme/members/admin';
    const demoted = { ...ada, role: 'viewer' };
    /**
     * Creates three tokens of the admin: one that reads, one that may write members, and one created with the
     * second.
     */
    async function makeThree() {
      const reads = await make('admin', { kind: 'service' });
      const writes = await make('admin', {
        kind: 'service',
        permissions: ['members.write', 'tokens.write', 'directory.read'],
      });
      const body = { name: 'child', kind: 'service', permissions: ['members.write', 'directory.read'] };
      const child = await using(writes.token)('POST', TOKENS, body);
      expect(child.status).toBe(201);
      return { reads, writes, child: child.body as { id: string; token: string } };
    }
    const revocations = (body: { serviceTokens: { id: string; revoked: boolean }[] }) =>
      body.serviceTokens.map(({ id, revoked }) => [id, revoked]);

    it.each([
      ['removed', () => one.remove(MEMBER)],
      ['demoted', () => one.put(MEMBER, demoted)],
    ])('revokes a token and those made with it when the maker is %s', async (_, leave) => {
      const { reads, writes, child } = await makeThree();
      const { status, body } = await leave();
      expect([status, revocations(body)]).toEqual([
        200,
        [
          [reads.id, false],
          [writes.id, true],
          [child.id, true],
        ],
      ]);
      const back = { ...ada, role: 'editor' };
      expect((await using(writes.token)('PUT', MEMBER, back)).status).toBe(401);
      expect((await using(child.token)('PUT', MEMBER, back)).status).toBe(401);
      expect(await isWorking(reads.token)).toBe(200);
      await eventually(async () => expect((await catalogue.published()).get(`token:${child.id}`)).toBeNull());
    });

    it('revokes a token when its maker is erased everywhere', async () => {
      const { reads, writes, child } = await makeThree();
      expect((await one.manage('POST', '/erasures', { sub: 'admin' })).status).toBe(202);
      expect(await Promise.all([reads, writes, child].map(({ token }) => isWorking(token)))).toEqual([
        200, 401, 401,
      ]);
    });

    it('revokes a token when a member who rotated it is removed', async () => {
      const made = await make('owner', { kind: 'service', permissions: ['members.write', 'directory.read'] });
      const rotated = await as('admin')('POST', `${TOKENS}/${made.id}/rotate`, { overlapSeconds: 0 });
      expect(await isWorking(rotated.body.token)).toBe(200);
      expect(revocations((await one.remove(MEMBER)).body)).toEqual([[made.id, true]]);
      expect(await isWorking(rotated.body.token)).toBe(401);
    });

    it('keeps a token when the caller asks for it, or while its maker still has its permissions', async () => {
      const { writes } = await makeThree();
      const renamed = await one.put(MEMBER, { ...ada, role: 'admin', name: 'Renamed' });
      expect(renamed.body.serviceTokens).toEqual([]);
      await one.put(MEMBER, { ...ada, role: 'owner' });
      const lesser = await one.put(MEMBER, { ...ada, role: 'admin' });
      expect(revocations(lesser.body).map(([, revoked]) => revoked)).toEqual([false, false, false]);
      const kept = await one.remove(`${MEMBER}?keepServiceTokens=true`);
      expect(revocations(kept.body).map(([, revoked]) => revoked)).toEqual([false, false, false]);
      expect(await isWorking(writes.token)).toBe(200);
    });
  });

  it('requires only tokens.write to make, list, rotate and revoke service tokens', async () => {
    const { token } = await make('admin', { kind: 'service', permissions: ['tokens.write'] });
    const caller = using(token);
    const body = { name: 'child', kind: 'service', permissions: ['tokens.write'] };
    const made = await caller('POST', TOKENS, body);
    const rotated = await caller('POST', `${TOKENS}/${made.body.id}/rotate`, {});
    const listed = await caller('GET', TOKENS);
    const revoked = await caller('DELETE', `${TOKENS}/${made.body.id}`);
    expect([made, rotated, listed, revoked].map(({ status }) => status)).toEqual([201, 200, 200, 204]);
    expect((await caller('GET', '/companies/acme')).status).toBe(403);
  });

  it('removes deleted projects from a token that is limited to projects, and ends it with the last', async () => {
    await one.put('/projects/blog', shop);
    const { token, id } = await make('admin', { kind: 'service', projectIds: ['shop', 'blog'] });
    const listed = async () =>
      (await one.manage('GET', TOKENS)).body.tokens.find((one: { id: string }) => one.id === id);
    await one.remove('/projects/blog');
    expect(await listed()).toMatchObject({ projectIds: ['shop'] });
    expect((await catalogue.published()).get(`token:${id}`)).toMatchObject({ projectIds: ['shop'] });
    await one.remove('/projects/shop');
    expect(await listed()).toBeUndefined();
    expect((await catalogue.published()).get(`token:${id}`)).toBeNull();
    expect(await isWorking(token)).toBe(401);
  });

  it('ends a service token with its company', async () => {
    const { token } = await make('admin', { kind: 'service' });
    await one.reset('/companies/acme');
    await one.put('/companies/acme', acme);
    expect(await isWorking(token)).toBe(401);
  });
});

describe('tokens made with a token', () => {
  it('requires a permission of a token to make tokens with it', async () => {
    const { token } = await make('admin');
    const made = await using(token)('POST', TOKENS, {
      name: 'x',
      kind: 'personal',
      permissions: ['directory.read'],
    });
    expect([made.status, made.body.error.message]).toEqual([403, expect.stringContaining('tokens.own')]);
  });

  it('gives a token made with another no more permissions and no longer lifetime', async () => {
    const permissions = ['tokens.own', 'directory.read'];
    const parent = await create('admin', { permissions, expiresInDays: 2 });
    const body = { name: 'x', kind: 'personal', permissions, expiresInDays: 300 };
    const child = await using(parent.body.token)('POST', TOKENS, body);
    expect([child.status, child.body.expiresAt]).toEqual([201, parent.body.expiresAt]);
    const more = await using(parent.body.token)('POST', TOKENS, { ...body, permissions: ['members.write'] });
    const service = await using(parent.body.token)('POST', TOKENS, { ...body, kind: 'service' });
    expect([more.status, service.status]).toEqual([403, 403]);
  });

  it('does not let a token rotate tokens with more permissions', async () => {
    const { token } = await make('admin', { permissions: ['tokens.own', 'directory.read'] });
    const { id } = await make('admin', { permissions: ['members.write'] });
    const rotated = await using(token)('POST', `${TOKENS}/${id}/rotate`, {});
    expect([rotated.status, rotated.body.token]).toEqual([403, undefined]);
  });
});

describe('token rotation', () => {
  const rotate = (person: Person, id: string, body: object = {}) =>
    as(person)('POST', `${TOKENS}/${id}/rotate`, body);

  it('returns a new value, and keeps the old one valid for the overlap', async () => {
    const { id, token } = await make('viewer');
    const rotated = await rotate('viewer', id, { overlapSeconds: 600 });
    expect([rotated.status, rotated.body.id]).toEqual([200, id]);
    expect(rotated.body.rotatedAt).not.toBeNull();
    expect([await isWorking(token), await isWorking(rotated.body.token)]).toEqual([200, 200]);
    const sql = await catalogue.sql();
    await sql`update api_tokens set previous_until = now() - interval '1 second' where id = ${id}`;
    expect([await isWorking(token), await isWorking(rotated.body.token)]).toEqual([401, 200]);
  });

  it('ends the old value at once without an overlap', async () => {
    const { id, token } = await make('viewer');
    const rotated = await rotate('viewer', id, { overlapSeconds: 0 });
    expect([await isWorking(token), await isWorking(rotated.body.token)]).toEqual([401, 200]);
  });

  it('lets the owner rotate a personal token, and admins a service token', async () => {
    const own = await make('viewer');
    const service = await make('owner', { kind: 'service', permissions: ['company.write'] });
    const asked = [
      await rotate('editor', own.id),
      await rotate('admin', own.id),
      await rotate('editor', service.id),
      // This token has more permissions than an admin.
      await rotate('admin', service.id),
      await rotate('owner', service.id),
    ];
    expect(asked.map(({ status }) => status)).toEqual([404, 403, 404, 403, 200]);
  });
});

describe('token lists and revocation', () => {
  it('lists and revokes own tokens, all tokens of the company for an admin, and none of others', async () => {
    const own = await make('viewer');
    const service = await make('admin', { kind: 'service' });
    const seen = async (person: Person) =>
      ((await as(person)('GET', TOKENS)).body.tokens ?? []).map(({ id }: { id: string }) => id);
    expect(await seen('viewer')).toEqual([own.id]);
    expect(await seen('editor')).toEqual([]);
    expect(await seen('admin')).toEqual([service.id, own.id]);
    expect((await as('stranger')('GET', TOKENS)).status).toBe(403);

    for (const person of ['editor', 'viewer'] as const) {
      const [theirs, none] = [
        await as(person)('DELETE', `${TOKENS}/${service.id}`),
        await as(person)('DELETE', `${TOKENS}/tok_none`),
      ];
      expect([theirs.status, theirs.body]).toEqual([404, none.body]);
    }
    expect((await as('stranger')('DELETE', `/companies/other/tokens/${service.id}`)).status).toBe(204);
    expect(await isWorking(service.token)).toBe(200);
    expect((await as('admin')('DELETE', `${TOKENS}/${own.id}`)).status).toBe(204);
    expect((await as('admin')('DELETE', `${TOKENS}/${service.id}`)).status).toBe(204);
    expect([await isWorking(own.token), await isWorking(service.token)]).toEqual([401, 401]);
    await eventually(async () => expect((await catalogue.published()).get(`token:${own.id}`)).toBeNull());
    await eventually(async () => {
      const { body } = await one.manage('GET', '/companies/acme/audit?action=revokeApiToken');
      const entries: { object: string; actor: { id: string } }[] = body.entries;
      const ofService = entries.filter(({ object }) => object === `token:${service.id}`);
      expect(ofService.map(({ actor }) => actor.id)).toEqual(['admin']);
    });
  });

  it('limits a person to 50 personal tokens', async () => {
    const { id } = await make('viewer');
    const sql = await catalogue.sql();
    await sql`
      insert into api_tokens (id, company_id, kind, name, sub, permissions, hash, expires_at)
      select id || n, company_id, kind, name, sub, permissions, hash || n, expires_at
      from api_tokens, generate_series(1, 49) as n where id = ${id}`;
    expect((await create('viewer', {})).status).toBe(409);
    await make('editor');
  });
});

it("ends an erased colleague's tokens, and forgets that they made others", async () => {
  const own = await make('admin');
  const service = await make('admin', { kind: 'service' });
  expect((await one.manage('POST', '/erasures', { sub: 'admin' })).status).toBe(202);
  expect([await isWorking(own.token), await isWorking(service.token)]).toEqual([401, 200]);
  const listed = await as('owner')('GET', TOKENS);
  expect(listed.body.tokens).toMatchObject([{ id: service.id, createdBy: null }]);
});
