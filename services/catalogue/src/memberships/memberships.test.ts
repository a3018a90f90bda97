import { permissionsOf } from '@switchboard/contracts';
import { beforeAll, expect, it } from 'vitest';
import { acme, ada, pro, shop, useCatalogue } from '../testing/harness.ts';

const { catalogue, one } = await useCatalogue();
let token: string;
beforeAll(async () => {
  token = await catalogue.tokens.mint({ sub: 'ada', name: 'Ada', permissions: ['service.manage'] });
  await one.put('/plans/pro/monthly', pro);
  for (const company of ['acme', 'bolt', 'other']) await one.put(`/companies/${company}`, acme);
  await one.put('/companies/acme/members/ada', { ...ada, role: 'owner' });
  await one.put('/companies/bolt/members/ada', { ...ada, role: 'support' });
  await one.put('/companies/other/members/grace', ada);
  for (const [project, companyId] of [
    ['a-1', 'acme'],
    ['b-1', 'bolt'],
    ['a-2', 'acme'],
    ['o-1', 'other'],
  ] as const) {
    await one.put(`/projects/${project}`, { ...shop, companyId });
  }
});

const ask = (path: string, as = token) => one.get(`/v1${path}`, { Authorization: `Bearer ${as}` });

it('returns the caller, with their companies, roles and permissions', async () => {
  const me = await ask('/me');
  expect([me.status, me.headers.get('cache-control')]).toEqual([200, 'no-store']);
  expect(me.body).toEqual({
    sub: 'ada',
    name: 'Ada',
    companies: [
      { id: 'acme', name: 'Acme', role: 'owner', permissions: permissionsOf('owner') },
      { id: 'bolt', name: 'Acme', role: 'support', permissions: permissionsOf('support') },
    ],
    nextCursor: null,
  });
});

it('lists the projects of all companies of the caller, and of no other, page by page', async () => {
  const all = await ask('/projects');
  expect(all.body.projects.map(({ id }: { id: string }) => id)).toEqual(['a-1', 'a-2', 'b-1']);
  expect(all.body.projects[0]).toEqual({ id: 'a-1', ...shop, companyId: 'acme' });
  const first = await ask('/projects?limit=2');
  expect(first.body.nextCursor).toBe('a-2');
  const second = await ask(`/projects?limit=2&cursor=${first.body.nextCursor}`);
  expect([second.body.projects.map(({ id }: { id: string }) => id), second.body.nextCursor]).toEqual([
    ['b-1'],
    null,
  ]);
  const companies = await ask('/me?limit=1&cursor=acme');
  expect(companies.body.companies.map(({ id }: { id: string }) => id)).toEqual(['bolt']);
});

it('returns no companies and no projects to a person without a company, whatever the permissions of the token', async () => {
  const stranger = await catalogue.tokens.mint({ sub: 'eve', permissions: ['service.manage'] });
  expect((await ask('/me', stranger)).body).toMatchObject({ sub: 'eve', name: null, companies: [] });
  expect((await ask('/projects', stranger)).body).toEqual({ projects: [], nextCursor: null });
});

it.each(['limit=0', 'limit=201', 'limit=many', 'cursor='])('rejects %s', async (query) => {
  const answer = await ask(`/projects?${query}`);
  expect([answer.status, answer.body.error.message]).toEqual([
    400,
    expect.stringMatching(/^(limit|cursor): /),
  ]);
});
