import { once } from 'node:events';
import { request } from 'node:http';
import { type AuditEntry, auditEntry, type FlagVersion } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { readTopic } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
let project: TestProject;
beforeEach(async () => {
  project = await harness.createProject();
});

const on = { enabled: true, rolloutPercentage: 100 };
const half = { enabled: true, rolloutPercentage: 50 };

interface Ask {
  body?: unknown;
  ifMatch?: string;
  ifNoneMatch?: string;
  sub?: string;
}

async function ask(method: string, path: string, { body, ifMatch, ifNoneMatch, sub = 'grace' }: Ask = {}) {
  const token = await harness.mint({ sub, permissions: ['service.manage'] });
  const response = await fetch(`${harness.url}/management/v1/projects/${project.id}/flags/${path}`, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }),
      ...(ifNoneMatch === undefined ? {} : { 'If-None-Match': ifNoneMatch }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    etag: response.headers.get('etag'),
    body: text === '' ? undefined : JSON.parse(text),
  };
}

const put = (body: object, more: Omit<Ask, 'body'> = {}, query = '') =>
  ask('PUT', `checkout${query}`, { body, ...more });
const versions = async (query = ''): Promise<FlagVersion[]> =>
  (await ask('GET', `checkout/versions${query}`)).body.versions;

describe('the history of a flag', () => {
  it('gives no version an earlier time than the one before it', async () => {
    await put(on);
    const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
    onTestFinished(() => database.close());
    // Simulates a version written before the database's clock was set back.
    await database.sql`update flag_versions set at = now() + interval '1 hour' where project_id = ${project.id}`;
    await put(half);
    const [second, first] = await versions();
    expect(second?.at).toBe(first?.at);
  });

  it('orders versions as the audit trail does, also when the first request to begin takes effect last', async () => {
    const token = await harness.mint({ sub: 'slow', permissions: ['service.manage'] });
    const path = `/management/v1/projects/${project.id}/flags/checkout`;
    const slow = request(`${harness.url}${path}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${token}`, Expect: '100-continue' },
    });
    const answered = once(slow, 'response');
    slow.flushHeaders();
    await once(slow, 'continue');
    slow.write(JSON.stringify(on).slice(0, 5));
    await put(half, { sub: 'quick' });
    slow.end(JSON.stringify(on).slice(5));
    const [response] = await answered;
    response.resume();
    expect((await versions()).map(({ author }) => author)).toEqual(['slow', 'quick']);
    await eventually(async () => {
      const entries: AuditEntry[] = [];
      await readTopic(harness.log, 'audit', {
        onRecord: ({ value }) => void entries.push(auditEntry.parse(JSON.parse(String(value)))),
      });
      const ofProject = entries.filter(
        ({ projectId, action }) => projectId === project.id && action === 'putFlag',
      );
      expect(ofProject).toHaveLength(2);
      const inOrder = ofProject.toSorted((one, other) => one.at.localeCompare(other.at));
      expect(inOrder.map(({ actor }) => actor.id)).toEqual(['quick', 'slow']);
    });
  });

  it('records who changed a flag to what, and why, newest first', async () => {
    await put(on, { sub: 'ada' });
    await put(half, { sub: 'grace' }, '?reason=Fails%20in%20Safari');
    await ask('DELETE', 'checkout?reason=Done', { sub: 'linus' });
    const at = expect.stringMatching(/Z$/);
    expect(await versions()).toEqual([
      {
        version: 3,
        flag: null,
        changes: [
          { property: 'enabled', before: true },
          { property: 'rolloutPercentage', before: 50 },
        ],
        author: 'linus',
        reason: 'Done',
        at,
      },
      {
        version: 2,
        flag: { key: 'checkout', ...half },
        changes: [{ property: 'rolloutPercentage', before: 100, after: 50 }],
        author: 'grace',
        reason: 'Fails in Safari',
        at,
      },
      {
        version: 1,
        flag: { key: 'checkout', ...on },
        changes: [
          { property: 'enabled', after: true },
          { property: 'rolloutPercentage', after: 100 },
        ],
        author: 'ada',
        reason: null,
        at,
      },
    ]);
  });

  it('adds no version for a change without effect or one that is refused', async () => {
    await put(on);
    await put(on);
    await put({ ...on, rolloutPercentage: 101 });
    await put({ ...on, prerequisites: [{ flagKey: 'nowhere', variationKey: 'on' }] });
    expect(await versions()).toHaveLength(1);
  });

  it('begins the history with the flag as it was before history was kept', async () => {
    await harness.sql`insert into flags (project_id, key, entry)
      values (${project.id}, 'checkout', ${harness.sql.json({ key: 'checkout', ...on })})`;
    expect((await ask('GET', 'checkout')).etag).toBe('"0"');
    expect((await put(half, { ifMatch: '"0"' })).etag).toBe('"2"');
    expect((await versions()).map(({ author, flag }) => [author, flag?.rolloutPercentage])).toEqual([
      ['grace', 50],
      [null, 100],
    ]);
  });

  it('returns the history in pages, and keeps the last 200 versions', async () => {
    await put(on);
    await harness.sql`insert into flag_versions (project_id, key, version, entry)
      select ${project.id}, 'checkout', n, ${harness.sql.json({ key: 'checkout', ...half })} from generate_series(2, 230) n`;
    await put({ ...on, rolloutPercentage: 1 });
    const found: number[] = [];
    let query = '';
    for (;;) {
      const { body } = await ask('GET', `checkout/versions${query}`);
      found.push(...body.versions.map(({ version }: FlagVersion) => version));
      if (body.nextCursor === null) break;
      query = `?cursor=${body.nextCursor}`;
    }
    expect(found).toEqual(Array.from({ length: 200 }, (_, index) => 232 - index));
    expect((await ask('GET', 'checkout/versions?cursor=x')).status).toBe(400);
  });

  it('forgets the name of an erased colleague', async () => {
    await put(on, { sub: 'ada' });
    await put(half, { sub: 'grace' });
    const { createErasure } = await import('../erasure/erasure.ts');
    const { openDatabase } = await import('@switchboard/database');
    const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
    await createErasure({ database, onChanged: () => undefined }).eraseColleague?.(
      'ada',
      new AbortController().signal,
    );
    await database.close();
    expect((await versions()).map(({ author }) => author)).toEqual(['grace', null]);
  });
});

describe('If-Match', () => {
  it('accepts one of two changes that name the same version in If-Match', async () => {
    const { etag } = await put(on);
    expect(etag).toBe('"1"');
    const answers = await Promise.all(
      [1, 2].map((percent) => put({ ...on, rolloutPercentage: percent }, { ifMatch: etag ?? '' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    expect((await ask('GET', 'checkout')).etag).toBe('"2"');
    const late = await ask('DELETE', 'checkout', { ifMatch: '"1"' });
    expect([late.status, late.body.error]).toEqual([
      412,
      {
        code: 'PRECONDITION_FAILED',
        message: 'If-Match: the flag is at version 2. Read it again and repeat your change.',
      },
    ]);
    expect((await ask('DELETE', 'checkout', { ifMatch: '"2"' })).status).toBe(204);
  });

  it('requires an existing flag for If-Match *', async () => {
    expect((await put(on, { ifMatch: '*' })).status).toBe(412);
    await put(on);
    expect((await put(half, { ifMatch: '*' })).status).toBe(200);
  });
});

describe('If-None-Match', () => {
  it('creates one of two flags that get the same key at the same moment', async () => {
    const answers = await Promise.all(
      [1, 2].map((percent) => put({ ...on, rolloutPercentage: percent }, { ifNoneMatch: '*' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
    const created = answers.find(({ status }) => status === 200)?.body;
    const refused = answers.find(({ status }) => status === 412);
    expect(refused?.body.error).toEqual({
      code: 'PRECONDITION_FAILED',
      message: 'If-None-Match: the flag exists, at version 1. Read it, and change it with If-Match.',
    });
    expect((await ask('GET', 'checkout')).body.rolloutPercentage).toBe(created.rolloutPercentage);
  });

  it('creates a deleted flag again, and accepts no ETag in If-None-Match', async () => {
    await put(on);
    await ask('DELETE', 'checkout');
    expect((await put(half, { ifNoneMatch: '*' })).etag).toBe('"3"');
    expect((await put(on, { ifNoneMatch: '"3"' })).status).toBe(400);
  });
});

describe('the restoration of a version', () => {
  const restore = (version: number, more: Ask = {}) =>
    ask('POST', 'checkout/restore', { body: { version, reason: 'Undo' }, ...more });

  it('makes an earlier version the newest, also of a deleted flag', async () => {
    await put(on);
    await put(half);
    const restored = await restore(1);
    expect([restored.status, restored.body, restored.etag]).toEqual([200, { key: 'checkout', ...on }, '"3"']);
    await ask('DELETE', 'checkout');
    expect((await restore(2)).status).toBe(200);
    const [latest] = await versions();
    expect(latest).toMatchObject({ version: 5, author: 'grace', reason: 'Undo', flag: half });
  });

  it('refuses to restore a missing version, a deleted one, and one that conflicts today', async () => {
    await ask('PUT', 'base', { body: on });
    await put({ ...on, prerequisites: [{ flagKey: 'base', variationKey: 'on' }] });
    await put(on);
    await ask('DELETE', 'checkout');
    await ask('DELETE', 'base');
    expect((await restore(9)).status).toBe(404);
    expect((await restore(3)).status).toBe(409);
    const conflicting = await restore(1);
    expect([conflicting.status, conflicting.body.error.message]).toEqual([
      409,
      'Version 1 conflicts with the current flags. prerequisites[0].flagKey: there is no flag "base"',
    ]);
    expect((await restore(2, { ifMatch: '"1"' })).status).toBe(412);
  });
});
