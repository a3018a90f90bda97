import { eventually } from '@switchboard/testkit';
import postgres from 'postgres';
import { afterAll, expect, it } from 'vitest';
import { useDelivery, WEBHOOK_SECRET } from '../testing/harness.ts';

const delivery = await useDelivery();
const sql = postgres(delivery.databaseUrl, { max: 1 });
afterAll(() => sql.end());

const definition = { url: 'https://hooks.example.com/a', types: ['audit'] };
const { manage } = delivery;

it('returns the secret of a new webhook once, and stores it encrypted', async () => {
  const { id } = await delivery.createProject();
  const path = `/projects/${id}/webhooks/orders`;
  const created = await manage('PUT', path, definition);
  expect(created.status).toBe(200);
  expect(created.body).toMatchObject({ id: 'orders', enabled: true, ordered: false, waiting: 0 });
  expect(created.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect((await manage('PUT', path, { ...definition, enabled: false })).body).toMatchObject({
    secret: null,
    enabled: false,
  });
  const listed = await manage('GET', `/projects/${id}/webhooks`);
  expect(listed.body.webhooks).toMatchObject([{ id: 'orders', enabled: false }]);
  expect(JSON.stringify(listed.body)).not.toContain('whsec_');
  const [row] = await sql`select row_to_json(w)::text as text from webhooks w where project_id = ${id}`;
  for (const secret of [created.body.secret.slice(6), new URL(definition.url).host])
    expect(row?.['text']).not.toContain(secret);
});

it('refuses URLs that are not https, name a person or lead to a private address', async () => {
  const { id } = await delivery.createProject();
  const urls = [
    'http://hooks.example.com/',
    'https://ada:secret@hooks.example.com/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://[::ffff:127.0.0.2]/',
    'https://0x7f000002/',
    'ftp://hooks.example.com/',
  ];
  for (const url of urls) {
    const answer = await manage('PUT', `/projects/${id}/webhooks/a`, { ...definition, url });
    expect([answer.status, answer.body.error?.message], url).toEqual([400, expect.stringContaining('url:')]);
  }
});

it('refuses events without the type event, and the type event without events', async () => {
  const { id } = await delivery.createProject();
  for (const body of [
    { ...definition, events: [{ event: 'paid' }] },
    { ...definition, types: ['event'] },
    {
      ...definition,
      types: ['event'],
      events: [{ event: 'paid', where: [{ attribute: 'trait.plan', op: 'eq', value: 1 }] }],
    },
  ])
    expect((await manage('PUT', `/projects/${id}/webhooks/a`, body)).status).toBe(400);
});

it('refuses the 21st webhook of a project', async () => {
  const { id } = await delivery.createProject();
  const put = (name: string) => manage('PUT', `/projects/${id}/webhooks/${name}`, definition);
  const made = await Promise.all(Array.from({ length: 21 }, (_, index) => put(`hook-${index}`)));
  expect(made.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 20 }, () => 200), 409]);
  expect((await put('hook-1')).status).toBe(200);
});

it('shows webhooks to admins of the company, and to no one else', async () => {
  const { id, companyId } = await delivery.createProject();
  await delivery.directory.put('member', {
    ...{ companyId, sub: 'root', name: 'Root', email: 'root@example.com', role: 'admin' },
    ...{ avatarUrl: null, pushSubscriptions: [] },
  });
  const as = async (sub: string, method: string, path: string, body?: unknown) => {
    const answer = await delivery.harness.call('delivery', method, path, {
      token: await delivery.harness.mint({ sub }),
      body,
    });
    return answer.status;
  };
  const path = `/v1/projects/${id}/webhooks`;
  await eventually(async () => expect(await as('root', 'PUT', `${path}/a`, definition)).toBe(200));
  expect(await as('ada', 'PUT', `${path}/a`, definition)).toBe(403);
  expect(await as('ada', 'GET', path)).toBe(403);
  expect(await as('eve', 'GET', path)).toBe(403);
  expect(await as('root', 'GET', path)).toBe(200);
});

it('keeps webhooks of projects apart', async () => {
  const [mine, theirs] = [await delivery.createProject(), await delivery.createProject()];
  await manage('PUT', `/projects/${mine.id}/webhooks/a`, definition);
  expect((await manage('GET', `/projects/${theirs.id}/webhooks/a`)).status).toBe(404);
  expect((await manage('DELETE', `/projects/${theirs.id}/webhooks/a`)).status).toBe(204);
  expect((await manage('POST', `/projects/${theirs.id}/webhooks/a/secret`)).status).toBe(404);
  expect((await manage('GET', `/projects/${mine.id}/webhooks/a`)).status).toBe(200);
  expect((await manage('DELETE', `/projects/${mine.id}/webhooks/a`)).status).toBe(204);
  expect((await manage('GET', `/projects/${mine.id}/webhooks/a`)).status).toBe(404);
});

it('re-encrypts secrets and URLs with the first value of WEBHOOK_SECRET, and encrypts those of earlier versions', async () => {
  const { id } = await delivery.createProject();
  for (const name of ['a', 'b']) await manage('PUT', `/projects/${id}/webhooks/${name}`, definition);
  await sql`update webhooks set url = 'https://earlier.example.com/', encrypted_url = null
    where project_id = ${id} and id = 'b'`;
  const stored = async () => {
    const rows =
      await sql`select secret, encrypted_url, url from webhooks where project_id = ${id} order by id`;
    return rows.flatMap((row) => [row['secret'], row['encrypted_url'], row['url']]);
  };
  const before = await stored();
  const next = await delivery.start({ WEBHOOK_SECRET: `${'another secret '.repeat(3)},${WEBHOOK_SECRET}` });
  await eventually(async () => {
    const after = await stored();
    expect(after.map((value, at) => value === before[at])).toEqual([false, false, true, false, false, false]);
    expect(after[5]).toBeNull();
  });
  await next.stop();
  const back = await delivery.start({ WEBHOOK_SECRET: `${WEBHOOK_SECRET},${'another secret '.repeat(3)}` });
  await eventually(async () => {
    const { webhooks } = (await manage('GET', `/projects/${id}/webhooks`)).body;
    expect(webhooks).toMatchObject([{ url: definition.url }, { url: 'https://earlier.example.com/' }]);
  });
  await back.stop();
});
