import { openDatabase } from '@switchboard/database';
import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBeginnings } from '../erasures/beginnings.ts';
import { createOutbox } from '../outbox/outbox.ts';
import { createCompanyRemovals } from '../removals/companies.ts';
import { acme, ada, pro, shop, type TestCatalogue, useCatalogue } from '../testing/harness.ts';

const { catalogue, one } = await useCatalogue();
beforeAll(async () => {
  await one.put('/plans/pro/monthly', pro);
});
beforeEach(async () => {
  await one.reset('/companies/acme');
});

const published = (key: string) =>
  eventually(async () => {
    const state = await catalogue.published();
    if (!state.has(key)) throw new Error(`${key} is not published yet`);
    return state.get(key);
  });

describe('a company', () => {
  it('publishes a company as stored, also after an update', async () => {
    const written = { ...acme, entitlements: { articleSearch: false } };
    expect((await one.put('/companies/acme', acme)).body).toEqual({ id: 'acme', ...acme, entitlements: {} });
    const again = await one.put('/companies/acme', written);
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ id: 'acme', ...written });
    expect((await one.manage('GET', '/companies/acme')).body).toEqual({ id: 'acme', ...written });
    await eventually(async () => {
      expect((await catalogue.published()).get('company:acme')).toEqual({ id: 'acme', ...written });
    });
  });

  it('rejects a company with an unknown plan', async () => {
    const answer = await one.put('/companies/acme', {
      name: 'Acme',
      plan: { tier: 'gold', cycle: 'monthly' },
    });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(/^plan: .*gold\/monthly/);
    expect((await one.manage('GET', '/companies/acme')).status).toBe(404);
  });

  it.each([
    ['name', { ...acme, name: '  ' }],
    ['name', { plan: acme.plan }],
    ['plan.cycle', { name: 'Acme', plan: { tier: 'pro' } }],
    [
      'entitlements.aiTranslationBytesPerMonth',
      { ...acme, entitlements: { aiTranslationBytesPerMonth: -1 } },
    ],
  ])('rejects a company with a wrong %s', async (path, body) => {
    const answer = await one.put('/companies/acme', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(new RegExp(`^${path}: `));
  });

  it('removes a company with everything that belongs to it', async () => {
    await one.put('/companies/acme', acme);
    await one.put('/companies/acme/members/ada', ada);
    await one.put('/projects/shop', shop);
    await one.put('/projects/shop/reports/weekly', { name: 'Weekly' });
    const { key } = (await one.manage('POST', '/projects/shop/keys')).body;
    expect((await one.remove('/companies/acme')).status).toBe(204);
    expect((await one.remove('/companies/acme')).status).toBe(204);
    for (const path of [
      '/companies/acme',
      '/companies/acme/members/ada',
      '/projects/shop',
      '/projects/shop/keys',
    ]) {
      expect((await one.manage('GET', path)).status).toBe(404);
    }
    await eventually(async () => {
      const state = await catalogue.published();
      for (const gone of [
        'company:acme',
        'member:acme/ada',
        'project:shop',
        'report:shop/weekly',
        `key:${key}`,
      ]) {
        expect(state.get(gone)).toBeNull();
      }
    });
  });

  it('never gives a company the id of a deleted one', async () => {
    await one.put('/companies/acme', acme);
    await one.remove('/companies/acme');
    const again = await one.put('/companies/acme', acme);
    expect([again.status, again.body.error]).toEqual([
      409,
      {
        code: 'CONFLICT',
        message: 'companyId: acme belonged to a company that was deleted; choose another',
      },
    ]);
    expect((await one.manage('GET', '/companies/acme')).status).toBe(404);
  });

  it('accepts any characters in the id of a company', async () => {
    const id = encodeURIComponent('a/b:ü %');
    expect((await one.put(`/companies/${id}`, acme)).status).toBe(200);
    expect((await one.put(`/companies/${id}/members/auth0%7C1`, ada)).body.sub).toBe('auth0|1');
    expect(await published('member:a%2Fb%3A%C3%BC%20%25/auth0%7C1')).toMatchObject({ companyId: 'a/b:ü %' });
    expect((await one.remove(`/companies/${id}`)).status).toBe(204);
  });
});

describe('a company with many projects and members', () => {
  const MANY = 1_200;
  let sql: Awaited<ReturnType<TestCatalogue['sql']>>;
  beforeAll(async () => {
    sql = await catalogue.sql();
    await sql`create table removed (tx bigint, kind text)`;
    await sql`
      create function note_removed() returns trigger language plpgsql as $$
      begin
        insert into removed values (txid_current(), tg_table_name);
        return old;
      end $$`;
    for (const table of ['projects', 'project_keys', 'reports', 'members', 'api_tokens']) {
      await sql`
        create trigger note_removed after delete on ${sql(table)} for each row execute function note_removed()`;
    }
  });
  beforeEach(async () => {
    await sql`truncate removed`;
    await one.put('/companies/acme', acme);
    await one.put('/projects/shop', shop);
    await sql`
      insert into projects (id, company_id, name, region, default_language)
      select 'many-' || n, 'acme', 'Shop', 'eu', 'en' from generate_series(1, ${MANY}::int) as n`;
    await sql`
      insert into project_keys (key, project_id)
      select 'pk_eu_' || lpad(n::text, 32, '0'), 'many-' || n from generate_series(1, ${MANY}::int) as n`;
    await sql`
      insert into reports (project_id, id, name)
      select 'shop', 'report-' || n, 'Weekly' from generate_series(1, ${MANY}::int) as n`;
    await sql`
      insert into members (company_id, sub, name, email, push_subscriptions)
      select 'acme', 'sub-' || n, 'Ada', 'ada@example.com', '[]' from generate_series(1, ${MANY}::int) as n`;
    await sql`
      insert into api_tokens (id, company_id, kind, name, permissions, hash, expires_at)
      select 'tok_' || n, 'acme', 'service', 'CI', '[]', n::text, now() from generate_series(1, ${MANY}::int) as n`;
  });

  const largestOfTransactions = async () => {
    const [row] = await sql`
      select max(rows)::int as most, sum(rows)::int as all
      from (select count(*) as rows from removed group by tx, kind) as counted`;
    return row;
  };

  /** Repeats a removal that takes longer than a request may wait, and returns its last status. */
  async function removeWhole(path: string): Promise<number> {
    for (;;) {
      const { status } = await one.remove(path);
      if (status !== 503) return status;
    }
  }

  it('removes a large company in transactions of bounded size', async () => {
    expect(await removeWhole('/companies/acme')).toBe(204);
    expect(await largestOfTransactions()).toEqual({ most: 500, all: 5 * MANY + 1 });
    expect(await published('company:acme')).toBeNull();
    const state = await catalogue.published();
    expect(state.get('project:shop')).toBeNull();
    for (const kind of ['project:many-', 'report:shop/report-', 'member:acme/sub-', 'token:tok_']) {
      for (let n = 1; n <= MANY; n++) expect(state.get(`${kind}${n}`)).toBeNull();
    }
  });

  it('removes a project with many reports in transactions of bounded size', async () => {
    expect(await removeWhole('/projects/shop')).toBe(204);
    expect(await largestOfTransactions()).toEqual({ most: 500, all: MANY + 1 });
  });

  it('hides a company once its removal has begun, rejects writes to it, and resumes an interrupted removal', async () => {
    await sql`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'interrupted'; end $$`;
    await sql`
      create trigger refuse before delete on members for each row
      when (old.company_id = 'acme') execute function refuse()`;
    expect((await one.remove('/companies/acme')).status).toBe(500);
    expect((await one.manage('GET', '/companies/acme')).status).toBe(404);
    expect((await one.manage('GET', '/companies')).body.companies).toEqual([]);
    expect((await one.manage('GET', '/projects/shop')).status).toBe(404);
    expect((await one.put('/projects/shop', shop)).status).toBe(400);
    expect((await one.put('/companies/acme/members/ada', ada)).status).toBe(404);
    expect((await one.put('/companies/acme', acme)).status).toBe(409);
    // The company is removed last, so that no entry ever belongs to a missing company.
    const half = await catalogue.published();
    expect(half.get('project:shop')).toBeNull();
    expect(half.get('company:acme')).not.toBeNull();

    await sql`drop function refuse cascade`;
    await catalogue.instance();
    await eventually(async () => expect((await catalogue.published()).get('company:acme')).toBeNull(), {
      withinMs: 20_000,
    });
    expect(await sql`select from members`).toHaveLength(0);
    expect((await one.put('/companies/acme', acme)).body.error.message).toContain('was deleted');
  });

  it('reports a slow removal as in progress, and answers success when it is repeated', async () => {
    const database = openDatabase({ url: catalogue.databaseUrl, applicationName: 'test' });
    const db = database.drizzle;
    const logger = createLogger({ service: 'test', level: 'silent' });
    const beginnings = createBeginnings({ region: 'eu', regions: undefined, services: new Set() });
    const removals = createCompanyRemovals({ db, outbox: createOutbox(db), beginnings, logger, maxMs: 0 });
    await expect(removals.remove(db, 'acme')).rejects.toThrow('still being deleted');
    await database.close();
    expect((await one.remove('/companies/acme')).status).toBe(204);
    expect((await catalogue.published()).get('company:acme')).toBeNull();
  });
});

describe('a member', () => {
  const push = {
    endpoint: 'https://push.example/abc',
    expirationTime: null,
    keys: {
      p256dh: Buffer.alloc(65, 4).toString('base64url'),
      auth: Buffer.alloc(16, 1).toString('base64url'),
    },
  };
  beforeEach(() => one.put('/companies/acme', acme));

  it('publishes a member as stored', async () => {
    const full = {
      ...ada,
      role: 'support',
      avatarUrl: 'https://pictures.example/ada.png',
      pushSubscriptions: [push],
    };
    const shown = { sub: 'full', ...full, pushSubscriptions: [{ endpoint: push.endpoint }] };
    const stored = await one.put('/companies/acme/members/full', full);
    expect(stored.body).toEqual({ ...shown, serviceTokens: [] });
    expect((await one.manage('GET', '/companies/acme/members/full')).body).toEqual(shown);
    expect(await published('member:acme/full')).toEqual({
      companyId: 'acme',
      sub: 'full',
      ...full,
      generation: expect.any(String),
    });
  });

  it('replaces a member as a whole, except for push subscriptions and keys that are left out', async () => {
    const path = '/companies/acme/members/ada';
    const stored = () => published('member:acme/ada');
    await one.put(path, { ...ada, avatarUrl: 'https://pictures.example/a.png', pushSubscriptions: [push] });
    await one.put(path, ada);
    expect(await stored()).toMatchObject({ avatarUrl: null, pushSubscriptions: [push] });
    const other = { ...push, endpoint: 'https://push.example/def' };
    await one.put(path, { ...ada, pushSubscriptions: [{ endpoint: push.endpoint }, other] });
    expect(await stored()).toMatchObject({ pushSubscriptions: [{ keys: push.keys }, other] });
    const unknown = await one.put(path, {
      ...ada,
      pushSubscriptions: [{ endpoint: 'https://push.example/x' }],
    });
    expect([unknown.status, unknown.body.error.message]).toEqual([
      400,
      'pushSubscriptions[0].keys: required for an endpoint that the member does not have yet',
    ]);
    await one.put(path, { ...ada, pushSubscriptions: [] });
    expect(await stored()).toMatchObject({ pushSubscriptions: [] });
  });

  it('never returns the keys of push subscriptions', async () => {
    const answers = [
      await one.put('/companies/acme/members/ada', { ...ada, pushSubscriptions: [push] }),
      await one.manage('GET', '/companies/acme/members/ada'),
      await one.manage('GET', '/companies/acme/members'),
    ];
    for (const { status, body } of answers) {
      expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining(push.endpoint)]);
      expect(JSON.stringify(body)).not.toContain(push.keys.auth);
    }
  });

  it.each([
    ['a viewer', { sub: 'vera' }, false],
    ['an editor', { sub: 'ed' }, false],
    ['the member', { sub: 'ada' }, true],
    ['an admin', { sub: 'root' }, true],
    ['an auditor', { sub: 'auditor', permissions: ['service.read'] }, true],
  ])("shows a member's e-mail address and push services to %s: %s", async (_, claims, isShown) => {
    await one.put('/companies/acme/members/ada', { ...ada, pushSubscriptions: [push] });
    for (const [sub, role] of Object.entries({ vera: 'viewer', ed: 'editor', root: 'admin' }))
      await one.put(`/companies/acme/members/${sub}`, { ...ada, email: `${sub}@example.com`, role });
    const bearer = await catalogue.tokens.mint(claims);
    const shown = isShown
      ? { email: ada.email, pushSubscriptions: [{ endpoint: push.endpoint }] }
      : { email: null, pushSubscriptions: [] };
    const got = await one.manage('GET', '/companies/acme/members/ada', undefined, bearer);
    expect(got.body).toMatchObject({ sub: 'ada', name: ada.name, ...shown });
    const { body } = await one.manage('GET', '/companies/acme/members', undefined, bearer);
    expect(body.members[0]).toEqual(got.body);
  });

  it('answers 404 for a member of an unknown company', async () => {
    expect((await one.put('/companies/nobody/members/ada', ada)).status).toBe(404);
    expect((await one.manage('GET', '/companies/nobody/members/ada')).status).toBe(404);
    expect((await one.remove('/companies/nobody/members/ada')).status).toBe(204);
  });

  it.each([
    ['name', { ...ada, name: '' }],
    ['email', { ...ada, email: 'ada at example' }],
    ['avatarUrl', { ...ada, avatarUrl: 'javascript:alert(1)' }],
    [
      'pushSubscriptions[0].endpoint',
      { ...ada, pushSubscriptions: [{ ...push, endpoint: 'http://push.example' }] },
    ],
    [
      'pushSubscriptions[0].keys.auth',
      { ...ada, pushSubscriptions: [{ ...push, keys: { p256dh: push.keys.p256dh } }] },
    ],
  ])('rejects a member with a wrong %s', async (path, body) => {
    const answer = await one.put('/companies/acme/members/ada', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message.startsWith(`${path}: `)).toBe(true);
  });

  it('removes a member from the directory', async () => {
    await one.put('/companies/acme/members/ada', ada);
    expect((await one.remove('/companies/acme/members/ada')).status).toBe(204);
    await eventually(async () => expect((await catalogue.published()).get('member:acme/ada')).toBeNull());
  });
});

it('requires a permission for companies and members', async () => {
  const token = await catalogue.tokens.mint({ sub: 'ada', permissions: ['service.annotations.write'] });
  for (const path of ['/companies/acme', '/companies/acme/members/ada']) {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await one.manage(method, path, method === 'PUT' ? ada : undefined, token)).status).toBe(403);
      expect((await one.manage(method, path, method === 'PUT' ? ada : undefined, null)).status).toBe(401);
    }
  }
});
