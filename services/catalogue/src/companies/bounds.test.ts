import { beforeEach, describe, expect, it } from 'vitest';
import { acme, ada, pro, shop, useCatalogue } from '../testing/harness.ts';

const { catalogue, one } = await useCatalogue();
let company: string;
let companies = 0;
beforeEach(async () => {
  const entitlements = { seats: 2, projects: 2, reports: 2, refreshedReports: 1 };
  await one.put('/plans/pro/monthly', { ...pro, entitlements });
  company = `company-${++companies}`;
  await one.put(`/companies/${company}`, acme);
});

const query = { kind: 'trends', range: { last: 7, unit: 'day' }, series: [{ event: 'order placed' }] };
const refreshed = { name: 'R', query, refresh: 'daily' };
const project = () => ({ ...shop, companyId: company });
const raise = (entitlements: object) => one.put(`/companies/${company}`, { ...acme, entitlements });

const bounded: [what: string, entitlement: string, path: (id: string) => string, body: () => object][] = [
  ['members', 'seats', (id) => `/companies/${company}/members/${id}`, () => ada],
  ['projects', 'projects', (id) => `/projects/${company}-${id}`, project],
  ['reports', 'reports', (id) => `/projects/${company}-p/reports/${id}`, () => ({ name: 'R' })],
  [
    'reports with refresh',
    'refreshedReports',
    (id) => `/projects/${company}-p/reports/${id}`,
    () => refreshed,
  ],
];

describe.each(bounded)('the %s of a company', (what, entitlement, path, body) => {
  const put = (id: string) => one.put(path(id), body());
  const most = entitlement === 'refreshedReports' ? 1 : 2;
  const ids = ['a', 'b', 'c', 'd'].slice(0, most);
  beforeEach(async () => {
    if (path('a').includes('/reports/')) await one.put(`/projects/${company}-p`, project());
  });

  it('allows a company as many entries as its plan, and more with an entitlement of the company', async () => {
    for (const id of ids) expect((await put(id)).status).toBe(200);
    const refused = await put('last');
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      `The company has ${most} ${what}, and the entitlement ${entitlement} allows ${most}. Delete one or raise it.`,
    ]);
    expect((await put('a')).status).toBe(200);
    await raise({ [entitlement]: most + 1 });
    expect((await put('last')).status).toBe(200);
    await raise({ [entitlement]: 0 });
    expect((await put('last')).status).toBe(200);
    expect((await put('further')).status).toBe(409);
    expect((await one.remove(path('last'))).status).toBeLessThan(300);
  });

  it('keeps the limit when many entries are added at once', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => put(`at-once-${index}`)));
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([...ids.map(() => 200), ...Array(8 - most).fill(409)]);
  });

  it('limits the entries of a company without an entitlement', async () => {
    await one.put('/plans/pro/monthly', { ...pro, entitlements: { [entitlement]: 'many' } });
    const sql = await catalogue.sql();
    for (const id of ids) await put(id);
    const usual = { seats: 500, projects: 100, reports: 2_000, refreshedReports: 100 }[entitlement] ?? 0;
    if (entitlement === 'seats') {
      await sql`insert into members (company_id, sub, name, email, push_subscriptions)
        select company_id, 'm-' || n, name, email, push_subscriptions
        from members, generate_series(1, ${usual - most}::int) as n where company_id = ${company} and sub = 'a'`;
    } else if (entitlement === 'projects') {
      await sql`insert into projects (id, company_id, name, region, default_language)
        select id || n, company_id, name, region, default_language
        from projects, generate_series(1, ${usual - most}::int) as n where id = ${`${company}-a`}`;
    } else {
      await sql`insert into reports (project_id, id, name, query, refresh)
        select project_id, 'r-' || n, name, query, refresh
        from reports, generate_series(1, ${usual - most}::int) as n
        where project_id = ${`${company}-p`} and id = 'a'`;
    }
    const refused = await put('last');
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      expect.stringContaining(`has ${usual} ${what}`),
    ]);
  });
});

it('refuses to move a project into a company that is full', async () => {
  await one.put('/companies/elsewhere', acme);
  await one.put(`/projects/${company}-mover`, { ...shop, companyId: 'elsewhere' });
  for (const id of ['a', 'b']) await one.put(`/projects/${company}-${id}`, project());
  expect((await one.put(`/projects/${company}-mover`, project())).status).toBe(409);
});

describe('the changes of a company', () => {
  it('limits changes of a company per minute, for every kind of change and every caller', async () => {
    const slow = await catalogue.instance({}, { writesPerMinute: 3 });
    const path = `/companies/${company}`;
    const changes = [
      await slow.put(`/projects/${company}-a`, project()),
      await slow.put(`${path}/members/ada`, { ...ada, role: 'owner' }),
      await slow.manage('POST', `/projects/${company}-a/keys`),
    ];
    expect(changes.map(({ status }) => status)).toEqual([200, 200, 201]);
    const owner = await catalogue.tokens.mint({ sub: 'ada' });
    for (const [method, at, body] of [
      ['PUT', path, acme],
      ['PUT', `${path}/members/grace`, ada],
      ['DELETE', `${path}/members/ada`],
      ['PUT', `/projects/${company}-a`, project()],
      ['PUT', `/projects/${company}-new`, project()],
      ['PUT', `/projects/${company}-a/reports/r`, { name: 'R' }],
      ['DELETE', `/projects/${company}-a/reports/r`],
      ['POST', `/projects/${company}-a/keys`],
      ['POST', `${path}/tokens`, { name: 't', kind: 'service', permissions: ['flags.read'] }],
      ['DELETE', `/projects/${company}-a`],
      ['DELETE', path],
    ] as const) {
      const refused = await slow.manage(method, at, body, owner);
      expect([method, at, refused.status]).toEqual([method, at, 429]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await slow.manage('GET', path, undefined, owner)).status).toBe(200);
    await slow.put('/companies/another', acme);
    expect((await slow.put(`/companies/another/members/ada`, ada)).status).toBe(200);
  });
});
