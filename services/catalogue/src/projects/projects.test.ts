import { eventually } from '@switchboard/testkit';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acme, pro, shop, useCatalogue } from '../testing/harness.ts';

const { catalogue, one } = await useCatalogue();
beforeAll(async () => {
  await one.put('/plans/pro/monthly', pro);
  await one.put('/companies/acme', acme);
  await one.put('/companies/globex', { ...acme, name: 'Globex' });
});
beforeEach(async () => {
  await one.reset('/projects/shop');
});

const isPublished = (key: string, value: unknown) =>
  eventually(async () => expect((await catalogue.published()).get(key)).toEqual(value));

describe('a project', () => {
  it('publishes a project as stored, also after an update', async () => {
    expect((await one.put('/projects/shop', shop)).body).toEqual({ id: 'shop', ...shop });
    const renamed = { ...shop, name: 'Web shop' };
    expect((await one.put('/projects/shop', renamed)).status).toBe(200);
    expect((await one.manage('GET', '/projects/shop')).body).toEqual({ id: 'shop', ...renamed });
    await isPublished('project:shop', { id: 'shop', ...renamed });
  });

  it('publishes the wires of a project, and none after an update without them', async () => {
    const wires = ['segment', 'unleash'];
    expect((await one.put('/projects/shop', { ...shop, wires })).body).toEqual({
      id: 'shop',
      ...shop,
      wires,
    });
    await isPublished('project:shop', { id: 'shop', ...shop, wires });
    expect((await one.put('/projects/shop', shop)).body).toEqual({ id: 'shop', ...shop });
    await isPublished('project:shop', { id: 'shop', ...shop });
  });

  it.each([
    ['companyId', { ...shop, companyId: 'nobody' }],
    ['name', { ...shop, name: ' ' }],
    ['region', { ...shop, region: 'EU west' }],
    ['defaultLanguage', { ...shop, defaultLanguage: 'not a language' }],
    ['wires\\[0\\]', { ...shop, wires: ['mixpanel'] }],
    ['defaultLanguage', { companyId: 'acme', name: 'Shop', region: 'eu' }],
  ])('rejects a project with a wrong %s', async (path, body) => {
    const answer = await one.put('/projects/shop', body);
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(new RegExp(`^${path}: `));
    expect((await one.manage('GET', '/projects/shop')).status).toBe(404);
  });

  it('publishes how many approvals its flags require, and keeps each change of it in the trail', async () => {
    await one.put('/projects/shop', shop);
    await one.put('/projects/shop', { ...shop, flagApprovals: 2 });
    await isPublished('project:shop', { id: 'shop', ...shop, flagApprovals: 2 });
    await one.put('/projects/shop', shop);
    await isPublished('project:shop', { id: 'shop', ...shop });
    await eventually(async () => {
      const { entries } = (await one.manage('GET', '/projects/shop/audit')).body;
      const changes = entries.filter(({ action }: { action: string }) => action === 'putProject').slice(0, 2);
      expect(changes).toMatchObject([
        { before: { flagApprovals: 2 }, after: { flagApprovals: 0 } },
        { before: { flagApprovals: 0 }, after: { flagApprovals: 2 } },
      ]);
    });
    expect((await one.put('/projects/shop', { ...shop, flagApprovals: 11 })).status).toBe(400);
  });

  it('creates a project in a put that waited for its removal', async () => {
    await one.put('/projects/shop', shop);
    const sql = await catalogue.sql();
    const written = await sql.begin(async (tx) => {
      await tx`select 1 from projects where id = 'shop' for update`;
      const put = one.put('/projects/shop', shop);
      await eventually(async () => expect(await waitingForLock()).toBe(1));
      await tx`delete from projects where id = 'shop'`;
      return { put };
    });
    expect((await written.put).status).toBe(200);
    expect((await one.manage('GET', '/projects/shop')).body).toEqual({ id: 'shop', ...shop });

    async function waitingForLock() {
      return (
        await sql`
          select 1 from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`
      ).length;
    }
  });

  it('moves a project to another region or company only while it has no keys', async () => {
    await one.put('/projects/shop', { ...shop, region: 'us' });
    expect((await one.put('/projects/shop', shop)).status).toBe(200);
    const { key } = (await one.manage('POST', '/projects/shop/keys')).body;
    for (const moved of [
      { ...shop, region: 'us' },
      { ...shop, companyId: 'globex' },
    ]) {
      const refused = await one.put('/projects/shop', moved);
      expect(refused.status).toBe(409);
      expect(refused.body.error.code).toBe('CONFLICT');
    }
    expect((await one.manage('GET', '/projects/shop')).body).toEqual({ id: 'shop', ...shop });
    await one.remove(`/projects/shop/keys/${key}`);
    expect((await one.put('/projects/shop', { ...shop, companyId: 'globex' })).status).toBe(200);
  });

  it('never gives a project the id of a deleted one, for any caller', async () => {
    await one.put('/projects/shop', shop);
    await one.remove('/projects/shop');
    const message = 'projectId: shop belonged to a project that was deleted; choose another';
    for (const companyId of ['acme', 'globex']) {
      const again = await one.put('/projects/shop', { ...shop, companyId });
      expect([again.status, again.body.error]).toEqual([409, { code: 'CONFLICT', message }]);
    }
    expect((await one.manage('GET', '/projects/shop')).status).toBe(404);
    await isPublished('project:shop', null);
  });

  it('does not bring back a project that is put while it is removed', async () => {
    await one.put('/projects/shop', shop);
    const answers = await Promise.all([
      one.remove('/projects/shop'),
      ...Array.from({ length: 5 }, () => one.put('/projects/shop', shop)),
    ]);
    expect(answers.map(({ status }) => status)).toContain(204);
    expect((await one.manage('GET', '/projects/shop')).status).toBe(404);
  });

  it('removes a project with its keys and reports', async () => {
    await one.put('/projects/shop', shop);
    await one.put('/projects/shop/reports/weekly', { name: 'Weekly' });
    const { key } = (await one.manage('POST', '/projects/shop/keys')).body;
    expect((await one.remove('/projects/shop')).status).toBe(204);
    expect((await one.remove('/projects/shop')).status).toBe(204);
    for (const gone of ['project:shop', 'report:shop/weekly', `key:${key}`]) await isPublished(gone, null);
  });
});

describe('project keys', () => {
  beforeEach(() => one.put('/projects/shop', shop));

  it('creates unique keys of the region and 32 base62 characters', async () => {
    const keys: string[] = [];
    for (let i = 0; i < 20; i++) {
      const { status, body } = await one.manage('POST', '/projects/shop/keys');
      expect(status).toBe(201);
      expect(body.key).toMatch(/^pk_eu_[0-9A-Za-z]{32}$/);
      keys.push(body.key);
    }
    expect(new Set(keys).size).toBe(20);
    const listed = await one.manage('GET', '/projects/shop/keys');
    expect(listed.body.keys).toEqual(keys);
    for (const key of keys.slice(0, 2)) await isPublished(`key:${key}`, { key, projectId: 'shop' });
  });

  it('allows a project 100 keys, also when several are made at once', async () => {
    const sql = await catalogue.sql();
    await sql`insert into project_keys (key, project_id) select 'pk_eu_' || n, 'shop' from generate_series(1, 98) n`;
    const answers = await Promise.all([1, 2, 3, 4].map(() => one.manage('POST', '/projects/shop/keys')));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const message = 'The project has 100 keys. Revoke one first.';
    expect(answers.map(({ body }) => body)).toContainEqual({ error: { code: 'CONFLICT', message } });
    const { key } = answers.find(({ status }) => status === 201)?.body ?? {};
    await one.remove(`/projects/shop/keys/${key}`);
    expect((await one.manage('POST', '/projects/shop/keys')).status).toBe(201);
  });

  it('revokes a key permanently', async () => {
    const { key } = (await one.manage('POST', '/projects/shop/keys')).body;
    expect((await one.remove(`/projects/other/keys/${key}`)).status).toBe(204);
    expect((await one.manage('GET', '/projects/shop/keys')).body.keys).toEqual([key]);
    expect((await one.remove(`/projects/shop/keys/${key}`)).status).toBe(204);
    expect((await one.remove(`/projects/shop/keys/${key}`)).status).toBe(204);
    expect((await one.manage('GET', '/projects/shop/keys')).body.keys).toEqual([]);
    await isPublished(`key:${key}`, null);
  });

  it('creates and lists keys only for a project that exists', async () => {
    expect((await one.manage('POST', '/projects/nobody/keys')).status).toBe(404);
    expect((await one.manage('GET', '/projects/nobody/keys')).status).toBe(404);
    expect((await one.remove('/projects/shop/keys/nonsense')).status).toBe(400);
  });

  it('creates keys that match the region of a project that is updated at the same time', async () => {
    const [made] = await Promise.all([
      one.manage('POST', '/projects/shop/keys'),
      one.put('/projects/shop', { ...shop, region: 'us' }),
    ]);
    const { region } = (await one.manage('GET', '/projects/shop')).body;
    expect(made.body.key).toMatch(new RegExp(`^pk_${region}_`));
  });
});

describe('a report', () => {
  beforeEach(() => one.put('/projects/shop', shop));

  it('publishes a report as stored, and its removal as a tombstone', async () => {
    const query = { kind: 'trends', range: { last: 7, unit: 'day' }, series: [{ event: 'order placed' }] };
    const weekly = {
      projectId: 'shop',
      id: 'weekly',
      name: 'Weekly',
      publicAnnotations: true,
      query,
      refresh: 'hourly',
    };
    const old = await one.put('/projects/shop/reports/weekly', { name: 'Old' });
    expect(old.body).toEqual({
      ...weekly,
      name: 'Old',
      description: null,
      publicAnnotations: false,
      query: null,
      refresh: null,
    });
    const description = 'Orders, week by week.';
    const written = { name: 'Weekly', description, publicAnnotations: true, query, refresh: 'hourly' };
    const stored = { ...weekly, description };
    expect((await one.put('/projects/shop/reports/weekly', written)).body).toEqual(stored);
    expect((await one.manage('GET', '/projects/shop/reports/weekly')).body).toEqual(stored);
    await isPublished('report:shop/weekly', { ...weekly, generation: expect.any(String) });
    expect((await one.remove('/projects/shop/reports/weekly')).status).toBe(204);
    expect((await one.remove('/projects/shop/reports/weekly')).status).toBe(204);
    expect((await one.manage('GET', '/projects/shop/reports/weekly')).status).toBe(404);
    await isPublished('report:shop/weekly', null);
  });

  it('gives a report a new generation after its id was removed, and keeps it on changes', async () => {
    const generationOf = async (name: string) => {
      await one.put('/projects/shop/reports/weekly', { name });
      await isPublished('report:shop/weekly', expect.objectContaining({ name }));
      const entry = (await catalogue.published()).get('report:shop/weekly');
      return entry && typeof entry === 'object' && 'generation' in entry ? entry.generation : undefined;
    };
    const first = await generationOf('First');
    expect(await generationOf('Changed')).toBe(first);
    await one.remove('/projects/shop/reports/weekly');
    const next = await generationOf('Next');
    expect([typeof first, typeof next, first === next]).toEqual(['string', 'string', false]);
  });

  it.each([
    ['refresh', { refresh: 'hourly' }],
    ['refresh', { refresh: '5m', query: { kind: 'lifecycle', range: { last: 7, unit: 'day' } } }],
    ['query.kind', { query: { kind: 'sql' } }],
    ['query', { query: { kind: 'lifecycle', range: { last: 7, unit: 'day' }, cohrt: 'x' } }],
  ])('rejects a report with a wrong %s', async (path, wrong) => {
    const answer = await one.put('/projects/shop/reports/weekly', { name: 'Weekly', ...wrong });
    expect(answer.status).toBe(400);
    expect(answer.body.error.message).toMatch(new RegExp(`^${path}`));
  });

  it('rejects a report without a project or a name', async () => {
    expect((await one.put('/projects/nobody/reports/weekly', { name: 'Weekly' })).status).toBe(404);
    const nameless = await one.put('/projects/shop/reports/weekly', { name: '' });
    expect(nameless.status).toBe(400);
    expect(nameless.body.error.message).toMatch(/^name: /);
  });
});

it('requires a permission for projects, keys and reports', async () => {
  await one.put('/projects/shop', shop);
  const token = await catalogue.tokens.mint({ sub: 'ada' });
  for (const [method, path] of [
    ['GET', '/projects/shop'],
    ['PUT', '/projects/shop'],
    ['DELETE', '/projects/shop'],
    ['GET', '/projects/shop/keys'],
    ['POST', '/projects/shop/keys'],
    ['DELETE', `/projects/shop/keys/pk_eu_${'a'.repeat(32)}`],
    ['GET', '/projects/shop/reports/r'],
    ['PUT', '/projects/shop/reports/r'],
    ['DELETE', '/projects/shop/reports/r'],
  ] as const) {
    expect((await one.manage(method, path, method === 'PUT' ? {} : undefined, token)).status).toBe(403);
    expect((await one.manage(method, path, method === 'PUT' ? {} : undefined, null)).status).toBe(401);
  }
});
