import { ROLES, type Role } from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acme, ada, pro, shop, useCatalogue } from '../testing/harness.ts';

const { catalogue, one } = await useCatalogue();
const tokens = new Map<string, string>();
beforeAll(async () => {
  await one.put('/plans/pro/monthly', pro);
  await one.put('/plans/free/monthly', pro);
  for (const sub of ROLES) tokens.set(sub, await catalogue.tokens.mint({ sub }));
});
beforeEach(async () => {
  for (const company of ['acme', 'other']) await one.reset(`/companies/${company}`);
  for (const company of ['acme', 'other']) await one.put(`/companies/${company}`, acme);
  for (const role of ROLES) await one.put(`/companies/acme/members/${role}`, { ...ada, role });
});

const as = (role: Role) => (method: string, path: string, body?: unknown) =>
  one.manage(method, path, body, tokens.get(role) ?? '');
const roleOf = async (sub: string) => (await one.manage('GET', `/companies/acme/members/${sub}`)).body.role;

it('makes a member without a role a viewer, and publishes roles', async () => {
  expect((await one.put('/companies/acme/members/new', ada)).body.role).toBe('viewer');
  await eventually(async () => {
    const state = await catalogue.published();
    expect(state.get('member:acme/new')).toMatchObject({ role: 'viewer' });
    expect(state.get('member:acme/admin')).toMatchObject({ role: 'admin' });
  });
});

it('rejects an unknown role', async () => {
  const answer = await one.put('/companies/acme/members/new', { ...ada, role: 'root' });
  expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringMatching(/^role: /)]);
});

describe('an admin', () => {
  it('lets an admin add, change and remove members up to editor', async () => {
    for (const role of ['viewer', 'support', 'editor']) {
      expect((await as('admin')('PUT', '/companies/acme/members/new', { ...ada, role })).status).toBe(200);
    }
    expect((await as('admin')('DELETE', '/companies/acme/members/new')).status).toBe(204);
  });

  it.each(['admin', 'owner'])('does not let an admin make an %s, of itself or of others', async (role) => {
    for (const sub of ['editor', 'new', ...(role === 'owner' ? ['admin'] : [])]) {
      const answer = await as('admin')('PUT', `/companies/acme/members/${sub}`, { ...ada, role });
      expect([sub, answer.status]).toEqual([sub, 403]);
      expect(answer.body.error.message).toContain('admins.write');
    }
  });

  it('does not let an admin demote or remove an owner', async () => {
    const demoted = await as('admin')('PUT', '/companies/acme/members/owner', { ...ada, role: 'viewer' });
    const removed = await as('admin')('DELETE', '/companies/acme/members/owner');
    expect([demoted.status, removed.status, await roleOf('owner')]).toEqual([403, 403, 'owner']);
  });

  it('lets an admin change its own name, and not its own membership', async () => {
    const renamed = await as('admin')('PUT', '/companies/acme/members/admin', {
      ...ada,
      name: 'A',
      role: 'admin',
    });
    expect([renamed.status, renamed.body.name]).toEqual([200, 'A']);
    expect((await as('admin')('DELETE', '/companies/acme/members/admin')).status).toBe(403);
  });

  it('lets an admin create projects in its company, and in no other', async () => {
    const mine = await as('admin')('PUT', '/projects/mine', shop);
    const theirs = await as('admin')('PUT', '/projects/theirs', { ...shop, companyId: 'other' });
    const nobodys = await as('admin')('PUT', '/projects/theirs', { ...shop, companyId: 'nobody' });
    expect([mine.status, theirs.status, nobodys.status]).toEqual([200, 403, 403]);
  });

  it('does not let an admin move projects between companies', async () => {
    await one.put('/projects/theirs', { ...shop, companyId: 'other' });
    await one.put('/projects/mine', shop);
    expect((await as('admin')('PUT', '/projects/theirs', shop)).status).toBe(403);
    expect((await as('admin')('PUT', '/projects/mine', { ...shop, companyId: 'other' })).status).toBe(403);
    expect((await one.manage('GET', '/projects/theirs')).body.companyId).toBe('other');
  });

  it('does not tell an admin whether a project of another company exists', async () => {
    await one.put('/projects/theirs', { ...shop, companyId: 'other' });
    const [theirs, none] = [
      await as('admin')('GET', '/projects/theirs'),
      await as('admin')('GET', '/projects/none'),
    ];
    expect([theirs.status, theirs.body]).toEqual([403, none.body]);
  });
});

describe('an owner', () => {
  it('lets an owner make and remove admins and owners', async () => {
    const owner = as('owner');
    expect((await owner('PUT', '/companies/acme/members/editor', { ...ada, role: 'owner' })).status).toBe(
      200,
    );
    expect((await owner('DELETE', '/companies/acme/members/admin')).status).toBe(204);
    expect((await owner('DELETE', '/companies/acme/members/editor')).status).toBe(204);
  });

  it('lets an owner rename the company, and not change its plan or entitlements', async () => {
    const owner = as('owner');
    const renamed = await owner('PUT', '/companies/acme', { ...acme, name: 'Acme Ltd' });
    const plan = await owner('PUT', '/companies/acme', { ...acme, plan: { tier: 'free', cycle: 'monthly' } });
    const more = await owner('PUT', '/companies/acme', { ...acme, entitlements: { articleSearch: true } });
    const another = await owner('PUT', '/companies/mine', acme);
    expect([renamed.status, plan.status, more.status, another.status]).toEqual([200, 403, 403, 403]);
    expect((await one.manage('GET', '/companies/acme')).body).toMatchObject({ ...acme, name: 'Acme Ltd' });
  });

  it('does not let the last owner leave the company, except through an operator', async () => {
    const path = '/companies/acme/members/owner';
    expect((await as('owner')('DELETE', path)).status).toBe(409);
    expect((await as('owner')('PUT', path, { ...ada, role: 'admin' })).status).toBe(409);
    expect((await one.remove(path)).status).toBe(204);
  });

  it('keeps one of two owners who remove each other at once', async () => {
    await one.put('/companies/acme/members/admin', { ...ada, role: 'owner' });
    const answers = await Promise.all([
      as('owner')('DELETE', '/companies/acme/members/admin'),
      as('admin')('DELETE', '/companies/acme/members/owner'),
    ]);
    const owners = (await one.manage('GET', '/companies/acme/members')).body.members.filter(
      ({ role }: { role: string }) => role === 'owner',
    );
    expect([answers.filter(({ status }) => status === 204).length, owners.length]).toEqual([1, 1]);
  });
});

describe('an access token', () => {
  const holding = async (permission: string) => {
    const token = await catalogue.tokens.mint({ sub: 'operator', permissions: [permission] });
    return (method: string, path: string, body?: unknown) => one.manage(method, path, body, token);
  };

  it('lets an access token with service.read read every company, and change nothing', async () => {
    const ask = await holding('service.read');
    expect((await ask('GET', '/companies/acme')).status).toBe(200);
    expect((await ask('GET', '/companies')).status).toBe(200);
    expect((await ask('PUT', '/companies/acme', acme)).status).toBe(403);
    expect((await ask('GET', '/projects/none/keys')).status).toBe(403);
  });

  it('lets an access token with service.directory read and write companies, members and projects, and make no keys', async () => {
    const ask = await holding('service.directory');
    expect((await ask('PUT', '/companies/acme', acme)).status).toBe(200);
    expect((await ask('PUT', '/companies/acme/members/new', { ...ada, role: 'owner' })).status).toBe(200);
    expect((await ask('PUT', '/projects/mine', shop)).status).toBe(200);
    expect((await ask('GET', '/projects/mine')).status).toBe(200);
    expect((await ask('POST', '/projects/mine/keys')).status).toBe(403);
  });

  it('lets an access token with service.secrets make keys, and write no members', async () => {
    await one.put('/projects/mine', shop);
    const ask = await holding('service.secrets');
    expect((await ask('POST', '/projects/mine/keys')).status).toBe(201);
    expect((await ask('PUT', '/companies/acme/members/new', ada)).status).toBe(403);
  });
});

it('applies a role until the member is removed, and not after', async () => {
  const ask = as('editor');
  expect((await ask('GET', '/companies/acme')).status).toBe(200);
  await one.remove('/companies/acme/members/editor');
  expect((await ask('GET', '/companies/acme')).status).toBe(403);
});
