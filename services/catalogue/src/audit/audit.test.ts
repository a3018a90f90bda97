import { AUDIT_TOPIC } from '@switchboard/audit';
import type { AuditEntry } from '@switchboard/contracts';
import { openPostgresLog } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { acme, ada, pro, shop, useCatalogue } from '../testing/harness.ts';

const { catalogue, one } = await useCatalogue();
let company: string;
let companies = 0;
beforeAll(async () => {
  await one.put('/plans/pro/monthly', pro);
});
beforeEach(async () => {
  company = `company-${++companies}`;
  await one.put(`/companies/${company}`, acme);
});

const as = async (sub: string) => {
  const token = await catalogue.tokens.mint({ sub });
  return (method: string, path: string, body?: unknown) => one.manage(method, path, body, token);
};
const trail = async (query = '', place = `/companies/${company}`): Promise<AuditEntry[]> =>
  (await one.manage('GET', `${place}/audit${query}`)).body.entries;
const entriesOf = (action: string) =>
  eventually(async () => {
    const entries = await trail(`?action=${action}`);
    expect(entries).not.toEqual([]);
    return entries;
  });

describe('the audit trail of a company', () => {
  it('records who gave which role, from where, and the previous role', async () => {
    await one.put(`/companies/${company}/members/ada`, { ...ada, role: 'admin' });
    const admin = await as('ada');
    await admin('PUT', `/companies/${company}/members/new`, { ...ada, role: 'support' });
    await admin('PUT', `/companies/${company}/members/new`, { ...ada, role: 'editor' });
    await admin('DELETE', `/companies/${company}/members/new`);
    const [removed] = await entriesOf('deleteMember');
    expect(removed).toMatchObject({ object: 'member:new', before: { role: 'editor' } });
    expect(removed).not.toHaveProperty('after');
    const [changed, added] = await trail('?action=putMember&actor=ada');
    expect(changed).toEqual({
      id: expect.stringMatching(/^aud_/),
      at: expect.any(String),
      actor: { kind: 'person', id: 'ada', tokenId: null },
      action: 'putMember',
      object: 'member:new',
      outcome: 'allowed',
      status: null,
      companyId: company,
      projectId: null,
      before: { role: 'support' },
      after: { role: 'editor' },
      reason: null,
      address: '127.0.0.1',
      requestId: expect.any(String),
      region: 'eu',
      service: 'catalogue',
      count: 1,
      until: null,
    });
    expect(added).toMatchObject({ after: { role: 'support' } });
    expect(added).not.toHaveProperty('before');
  });

  it('records a change that was made, and no other', async () => {
    const refused = await one.put(`/companies/${company}/members/ada`, { ...ada, role: 'root' });
    const conflict = await one.put(`/projects/${company}-shop`, { ...shop, companyId: 'nowhere' });
    expect([refused.status, conflict.status]).toEqual([400, 400]);
    const project = `/projects/${company}-shop`;
    await one.put(project, { ...shop, companyId: company });
    const key = (await one.manage('POST', `${project}/keys`)).body.key;
    await one.remove(`${project}/keys/${key}`);
    const [revoked] = await entriesOf('revokeProjectKey');
    const entries = (await trail()).filter(({ action }) => action !== 'listCompanyAudit');
    expect(entries.map(({ action }) => action)).toEqual([
      'revokeProjectKey',
      'createProjectKey',
      'putProject',
      'putCompany',
    ]);
    expect(revoked?.object).toBe(`key:${key.slice(0, 10)}...`);
    expect(entries[1]?.object).toBe(revoked?.object);
    expect(JSON.stringify(entries)).not.toContain(key);
    expect(entries[2]).toMatchObject({ projectId: `${company}-shop`, object: `project:${company}-shop` });
  });

  it('groups equal refusals into one entry with their number', async () => {
    const stranger = await as('mallory');
    for (let index = 0; index < 9; index++) await stranger('DELETE', `/companies/${company}`);
    await eventually(async () => expect(await trail('?outcome=refused')).toHaveLength(5));
    expect((await trail('?outcome=refused'))[0]).toMatchObject({
      actor: { id: 'mallory' },
      action: 'deleteCompany',
      status: 403,
      object: `company:${company}`,
    });
    expect(await one.metrics.registry.metrics()).toMatch(/audit_refusals_counted_total\{.*\} [1-9]/);
  });

  it('records the readers of the audit trail', async () => {
    await trail();
    const [read] = await entriesOf('listCompanyAudit');
    expect(read).toMatchObject({ object: `company:${company}`, actor: { id: 'op' } });
  });

  it('shows the audit trail to admins of the company and to operators who may read', async () => {
    for (const role of ['editor', 'admin'])
      await one.put(`/companies/${company}/members/${role}`, { ...ada, role });
    const status = async (sub: string, path: string) => (await (await as(sub))('GET', path)).status;
    const own = `/companies/${company}/audit`;
    expect([await status('editor', own), await status('admin', own)]).toEqual([403, 200]);
    expect(await status('admin', '/audit')).toBe(403);
    const reader = await catalogue.tokens.mint({ sub: 'auditor', permissions: ['service.read'] });
    const readAll = await one.manage('GET', '/audit', undefined, reader);
    expect(readAll.status).toBe(200);
  });

  it('returns the audit trail in pages, or whole as lines', async () => {
    const sql = await catalogue.sql();
    await sql`
      insert into audit_entries (id, at, company_id, action, object, outcome, entry)
      select 'aud_' || lpad(n::text, 5, '0'), timestamptz '2026-01-01' + n * interval '1 second', ${company},
        'bulk', 'thing:' || n % 7, 'allowed', json_build_object('n', n)::text
      from generate_series(1, 1203) as n`;
    const query = '?action=bulk&from=2026-01-01T00:00:02Z&to=2026-01-01T00:20:03Z';
    const first = await one.manage('GET', `/companies/${company}/audit${query}`);
    const rest: { n: number }[] = [];
    for (let cursor = first.body.nextCursor; cursor !== null; ) {
      const page = await one.manage('GET', `/companies/${company}/audit${query}&cursor=${cursor}`);
      rest.push(...page.body.entries);
      cursor = page.body.nextCursor;
    }
    const all = [...first.body.entries, ...rest].map(({ n }) => n);
    expect(all).toEqual(Array.from({ length: 1201 }, (_, index) => 1202 - index));
    const lines = await one.manage('GET', `/companies/${company}/audit${query}&format=ndjson`);
    expect(lines.headers.get('content-type')).toContain('application/x-ndjson');
    const text = typeof lines.body === 'string' ? lines.body : JSON.stringify(lines.body);
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).n),
    ).toEqual(all);
    const ofObject = await trail(`${query}&object=thing:3`);
    expect(ofObject).toHaveLength(172);
  });
});

it('keeps an entry once however often it arrives, and sets aside records that are not entries', async () => {
  const log = openPostgresLog({ url: catalogue.logUrl });
  const [entry] = await entriesOf('putCompany');
  const again = Buffer.from(JSON.stringify({ ...entry, id: 'aud_again', object: 'company:first' }));
  const other = Buffer.from(JSON.stringify({ ...entry, id: 'aud_again', object: 'company:other' }));
  const last = Buffer.from(JSON.stringify({ ...entry, id: 'aud_last', action: 'last' }));
  await log.publish(
    AUDIT_TOPIC,
    [again, Buffer.from('{"id":1}'), other, last].map((value) => ({
      partition: 0,
      key: null,
      value,
      headers: {},
    })),
  );
  await entriesOf('last');
  expect((await trail('?object=company:other')).length).toBe(0);
  expect((await trail('?object=company:first')).length).toBe(1);
  await log.close();
});

it('cannot change or remove an entry in the database before 30 days', async () => {
  const sql = await catalogue.sql();
  await entriesOf('putCompany');
  for (const statement of [
    `update audit_entries set actor_id = 'another person'`,
    `delete from audit_entries where at > now() - interval '29 days'`,
    'truncate audit_entries',
  ])
    await expect(sql.unsafe(statement), statement).rejects.toThrow('cannot be changed');
});

it('makes no change when its entry cannot be written', async () => {
  const sql = await catalogue.sql();
  await sql`alter table audit.outbox rename to moved`;
  try {
    const put = await one.put(`/companies/${company}/members/ada`, ada);
    expect(put.status).toBe(500);
  } finally {
    await sql`alter table audit.moved rename to outbox`;
  }
  expect((await one.manage('GET', `/companies/${company}/members/ada`)).status).toBe(404);
});
