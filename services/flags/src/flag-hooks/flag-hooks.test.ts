import { createHmac } from 'node:crypto';
import { type AuditEntry, auditEntry, type FlagVersion, type NewFlagHook } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { readTopic } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { createErasure } from '../erasure/erasure.ts';
import { json, type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
const on = { enabled: true, rolloutPercentage: 100 };

/** Creates a project with a flag that is on. */
async function projectWith(key = 'f'): Promise<TestProject> {
  const project = await harness.createProject();
  await harness.putFlag(project, { key, ...on });
  return project;
}

const hooksOf = ({ id }: TestProject, key = 'f') => `/projects/${id}/flags/${key}/hooks`;

async function create(project: TestProject, name = 'Grafana', key = 'f'): Promise<NewFlagHook> {
  const response = await harness.manage('POST', hooksOf(project, key), { name });
  const body = await json(response);
  expect([response.status, body]).toEqual([201, expect.anything()]);
  return body as unknown as NewFlagHook;
}

interface Call {
  secret?: string | undefined;
  body?: string | Uint8Array<ArrayBuffer> | undefined;
}

/** Calls a hook. Returns the status and the body of the response. */
async function call(id: string, { secret, body }: Call = {}): Promise<[number, Record<string, unknown>]> {
  const response = await fetch(`${harness.url}/v1/flag-hooks/${id}`, {
    method: 'POST',
    headers: secret === undefined ? {} : { Authorization: `Bearer ${secret}` },
    ...(body === undefined ? {} : { body }),
  });
  return [response.status, await json(response)];
}

const flagOf = async ({ id }: TestProject, key = 'f') =>
  json(await harness.manage('GET', `/projects/${id}/flags/${key}`));

async function versionsOf({ id }: TestProject): Promise<FlagVersion[]> {
  const { versions } = await json(await harness.manage('GET', `/projects/${id}/flags/f/versions`));
  return versions as FlagVersion[];
}

async function entriesOf({ id }: TestProject): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  await readTopic(harness.log, 'audit', {
    onRecord: ({ value }) => void found.push(auditEntry.parse(JSON.parse(String(value)))),
  });
  return found.filter(({ projectId }) => projectId === id);
}

describe('the hooks of a flag', () => {
  it('are listed without their secrets, oldest first, and are gone once deleted', async () => {
    const project = await projectWith();
    const first = await create(project, 'Grafana');
    const second = await create(project, 'Datadog');
    expect(first).toMatchObject({
      id: expect.stringMatching(/^fhk_[0-9a-f]{32}$/),
      name: 'Grafana',
      url: `https://api.test/base/v1/flag-hooks/${first.id}`,
      secret: expect.stringMatching(/^sbhook_[\w-]{43}$/),
    });
    const { secret: _, ...listed } = first;
    const { secret: __, ...listedSecond } = second;
    const list = async () => json(await harness.manage('GET', hooksOf(project)));
    expect(await list()).toEqual({ hooks: [listed, listedSecond] });
    for (let time = 0; time < 2; time++)
      expect((await harness.manage('DELETE', `${hooksOf(project)}/${first.id}`)).status).toBe(204);
    expect(await list()).toEqual({ hooks: [listedSecond] });
    expect((await call(first.id, { secret: first.secret }))[0]).toBe(401);
    expect((await flagOf(project))['enabled']).toBe(true);
  });

  it('are stored with a hash instead of the secret', async () => {
    const { id, secret } = await create(await projectWith());
    const [row] = await harness.sql`select * from flag_hooks where id = ${id}`;
    expect(row).toMatchObject({ id, name: 'Grafana' });
    expect(JSON.stringify(row)).not.toContain(secret.slice('sbhook_'.length));
  });

  it('need a flag and a name', async () => {
    const project = await projectWith();
    const statusOf = async (path: string, body?: object) =>
      (await harness.manage(body ? 'POST' : 'GET', path, body)).status;
    expect(await statusOf(hooksOf(project, 'none'))).toBe(404);
    expect(await statusOf(hooksOf(project, 'none'), { name: 'Grafana' })).toBe(404);
    expect(await statusOf(hooksOf(project), { name: ' ' })).toBe(400);
    expect(await statusOf(hooksOf(project), { name: 'x'.repeat(101) })).toBe(400);
  });

  it('are at most 20 of a flag and 100 of a project, also when they are created at once', async () => {
    const project = await harness.createProject();
    const statuses: number[] = [];
    for (const key of ['a', 'b', 'c', 'd', 'e', 'f']) {
      await harness.putFlag(project, { key, ...on });
      const added = Array.from({ length: 21 }, () =>
        harness.manage('POST', hooksOf(project, key), { name: 'x' }),
      );
      const answers = await Promise.all(added);
      statuses.push(answers.filter(({ status }) => status === 201).length);
      const [refused] = answers.filter(({ status }) => status !== 201);
      expect(refused?.status).toBe(409);
      const owner = key === 'f' ? 'project has 100' : 'flag has 20';
      expect(refused && (await json(refused))).toMatchObject({
        error: { message: `The ${owner} hooks. Delete one first.` },
      });
    }
    expect(statuses).toEqual([20, 20, 20, 20, 20, 0]);
  });

  it('belong to their flag and project only', async () => {
    const [project, other] = [await projectWith(), await projectWith()];
    await harness.putFlag(project, { key: 'g', ...on });
    const hook = await create(project);
    for (const path of [hooksOf(other), hooksOf(project, 'g')]) {
      expect(await json(await harness.manage('GET', path))).toEqual({ hooks: [] });
      expect((await harness.manage('DELETE', `${path}/${hook.id}`)).status).toBe(204);
    }
    expect(await call(hook.id, { secret: hook.secret })).toEqual([200, { switched: true }]);
    expect((await flagOf(other))['enabled']).toBe(true);
    expect((await flagOf(project, 'g'))['enabled']).toBe(true);
  });

  it('need the permission to change flags', async () => {
    const project = await projectWith();
    const token = await harness.mint({ sub: 'stranger', permissions: ['service.read'] });
    const ask = (method: string, body?: string) =>
      fetch(`${harness.url}/management/v1${hooksOf(project)}`, {
        method,
        headers: { Authorization: `Bearer ${token}` },
        ...(body === undefined ? {} : { body }),
      });
    expect((await ask('GET')).status).toBe(200);
    expect((await ask('POST', '{"name":"x"}')).status).toBe(403);
  });

  it('are deleted with their flag, also if a flag of that key is created again', async () => {
    const project = await projectWith();
    const hook = await create(project);
    expect((await harness.manage('DELETE', `/projects/${project.id}/flags/f`)).status).toBe(204);
    expect((await call(hook.id, { secret: hook.secret }))[0]).toBe(401);
    await harness.putFlag(project, { key: 'f', ...on });
    expect((await call(hook.id, { secret: hook.secret }))[0]).toBe(401);
    expect((await flagOf(project))['enabled']).toBe(true);
  });

  it('are erased with their project, and those of others are kept', async () => {
    const [gone, kept] = [await projectWith(), await projectWith()];
    await create(gone);
    await create(kept);
    const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
    const erasure = createErasure({ database, onChanged: () => undefined });
    await erasure.eraseProject?.(gone.id, new AbortController().signal);
    await database.close();
    expect(
      await harness.sql`select project_id from flag_hooks where project_id in ${harness.sql([gone.id, kept.id])}`,
    ).toEqual([{ project_id: kept.id }]);
  });
});

describe('a call of a hook', () => {
  it('switches the flag off, as a version by the hook, and changes nothing else', async () => {
    const project = await projectWith();
    const rule = { targeting: [{ attribute: 'plan', op: 'eq' as const, value: 'pro' }] };
    const definition = { ...on, rules: [rule], description: 'Checkout' };
    await harness.putFlag(project, { key: 'f', ...definition });
    const { id, secret } = await create(project);
    expect(await call(id, { secret, body: '{"status":"firing"}' })).toEqual([200, { switched: true }]);
    expect(await flagOf(project)).toEqual({ key: 'f', ...definition, enabled: false });
    const [latest] = await versionsOf(project);
    expect(latest).toMatchObject({
      version: 3,
      author: id,
      reason: 'Hook Grafana',
      changes: [{ property: 'enabled', before: true, after: false }],
    });
    expect(latest).not.toHaveProperty('emergency');
    await eventually(async () => {
      const { flags } = await json(await harness.get('/v1/flags?distinct_id=ada', project.key));
      expect(flags).toEqual({ f: false });
    });
  });

  it('leaves a flag off that is off, without a version or an audit entry', async () => {
    const project = await projectWith();
    const { id, secret } = await create(project);
    expect(await call(id, { secret })).toEqual([200, { switched: true }]);
    for (let time = 0; time < 2; time++)
      expect(await call(id, { secret })).toEqual([200, { switched: false }]);
    expect(await versionsOf(project)).toHaveLength(2);
    await eventually(async () =>
      expect((await entriesOf(project)).filter(({ action }) => action === 'callFlagHook')).toHaveLength(1),
    );
  });

  it('makes one version of simultaneous calls', async () => {
    const project = await projectWith();
    const { id, secret } = await create(project);
    const answers = await Promise.all(Array.from({ length: 10 }, () => call(id, { secret })));
    expect(answers.filter(([, { switched }]) => switched)).toHaveLength(1);
    expect(new Set(answers.map(([status]) => status))).toEqual(new Set([200]));
    expect(await versionsOf(project)).toHaveLength(2);
  });

  it.each([
    ['no body', undefined],
    ['a text', 'CPU is high'],
    ['an array', '[1]'],
    ['a number as the status', '{"status":1}'],
    ['bytes that are not UTF-8', new Uint8Array([0xff, 0xfe])],
    ['more values than other bodies may have', JSON.stringify({ values: Array(30_000).fill(0) })],
  ])('accepts %s', async (_, body) => {
    const { id, secret } = await create(await projectWith());
    expect(await call(id, { secret, body })).toEqual([200, { switched: true }]);
  });

  it('changes nothing when the alert is resolved', async () => {
    const project = await projectWith();
    const { id, secret } = await create(project);
    // The fields that Alertmanager (version 4) and Grafana send.
    const body = { version: '4', status: 'resolved', receiver: 'flags', alerts: [{ status: 'resolved' }] };
    expect(await call(id, { secret, body: JSON.stringify(body) })).toEqual([200, { switched: false }]);
    expect((await flagOf(project))['enabled']).toBe(true);
    // One alert of the group is over, another is not.
    const partly = { ...body, status: 'firing' };
    expect(await call(id, { secret, body: JSON.stringify(partly) })).toEqual([200, { switched: true }]);
  });

  it('rejects a body of more than 64 KiB, and leaves the flag on', async () => {
    const project = await projectWith();
    const { id, secret } = await create(project);
    expect((await call(id, { secret, body: 'x'.repeat(65_537) }))[0]).toBe(413);
    expect((await flagOf(project))['enabled']).toBe(true);
  });

  it('answers an unknown hook, a malformed id and a wrong secret alike, before it reads the body', async () => {
    const project = await projectWith();
    const [hook, other] = [await create(project), await create(project)];
    const body = 'x'.repeat(65_537);
    const answers = [
      await call(hook.id, { body }),
      await call(hook.id, { secret: other.secret, body }),
      await call(hook.id, { secret: hook.secret.slice(0, -1), body }),
      await call(`fhk_${'0'.repeat(32)}`, { secret: hook.secret, body }),
      await call('some%00id', { secret: hook.secret, body }),
      await call('%ff', { secret: hook.secret, body }),
    ];
    const message =
      'Unknown hook, or wrong secret or signature. Send the secret as Authorization: Bearer <secret>, or sign with it.';
    for (const answer of answers) expect(answer).toEqual([401, { error: { code: 'UNAUTHORIZED', message } }]);
    expect((await flagOf(project))['enabled']).toBe(true);
  });

  it('is in the audit trail by the hook, as a change of the flag', async () => {
    const project = await projectWith();
    const { id, secret } = await create(project);
    await call(id, { secret: 'wrong' });
    await call(id, { secret });
    await harness.manage('DELETE', `${hooksOf(project)}/${id}`);
    await eventually(async () => {
      const entries = (await entriesOf(project)).filter(({ action }) => action.endsWith('FlagHook'));
      const of = (action: string, outcome: string) =>
        entries.find((entry) => entry.action === action && entry.outcome === outcome);
      expect(of('createFlagHook', 'allowed')).toMatchObject({
        actor: { kind: 'person', id: 'operator' },
        object: `flag-hook:${id}`,
        after: { key: 'f', name: 'Grafana' },
      });
      expect(of('callFlagHook', 'allowed')).toMatchObject({
        actor: { kind: 'service', id, tokenId: null },
        object: 'flag:f',
        before: { key: 'f', ...on },
        after: { key: 'f', ...on, enabled: false },
        reason: 'Hook Grafana',
        companyId: expect.any(String),
        address: '127.0.0.1',
        requestId: expect.any(String),
      });
      expect(of('callFlagHook', 'refused')).toMatchObject({
        actor: { kind: 'nobody', id: null },
        object: `flag-hook:${id}`,
        status: 401,
      });
      expect(of('deleteFlagHook', 'allowed')).toMatchObject({
        object: `flag-hook:${id}`,
        before: { key: 'f', name: 'Grafana' },
      });
      expect(JSON.stringify(entries)).not.toContain(secret);
    });
  });

  it('needs no approvals, and withdraws the change requests of the flag', async () => {
    const companyId = 'hooks-with-approvals';
    const { id: projectId, key } = await harness.createProject({ companyId });
    const project = { id: projectId, key };
    await harness.putFlag(project, { key: 'f', ...on });
    const settings = { id: projectId, companyId, name: 'Live', region: 'eu', defaultLanguage: 'en' };
    await harness.directory.put('project', { ...settings, flagApprovals: 2 });
    let rolloutPercentage = 0;
    await eventually(async () => {
      const probe = { ...on, rolloutPercentage: rolloutPercentage++ % 100 };
      const { status } = await harness.manage('PUT', `/projects/${projectId}/flags/probe`, probe);
      expect(status).toBe(409);
    });
    const requests = `/projects/${projectId}/change-requests`;
    const asked = await harness.manage('POST', requests, { key: 'f', patch: { rolloutPercentage: 5 } });
    const request = await json(asked);
    const { id, secret } = await create(project);
    expect(await call(id, { secret })).toEqual([200, { switched: true }]);
    expect((await versionsOf(project))[0]).toMatchObject({ author: id, emergency: true });
    const { state } = await json(await harness.manage('GET', `${requests}/${request['id']}`));
    expect(state).toBe('withdrawn');
  });

  it('is limited to 30 calls per minute and hook, which strangers do not use up', async () => {
    const project = await projectWith();
    const { id, secret } = await create(project);
    const other = await create(project);
    // Each address may make 120 calls; an instance of its own counts none of the other tests.
    const instance = await harness.startInstance();
    const statusOf = async (hook: string, bearer: string) => {
      const headers = { Authorization: `Bearer ${bearer}` };
      return (await fetch(`${instance.url}/v1/flag-hooks/${hook}`, { method: 'POST', headers })).status;
    };
    const statusesOf = async (times: number, hook: string, bearer: string) => {
      const statuses: number[] = [];
      for (let time = 0; time < times; time++) statuses.push(await statusOf(hook, bearer));
      return statuses;
    };
    expect(new Set(await statusesOf(31, id, 'wrong'))).toEqual(new Set([401]));
    const calls = await statusesOf(31, id, secret);
    expect([calls.slice(0, 30).every((status) => status === 200), calls[30]]).toEqual([true, 429]);
    expect(await statusOf(other.id, other.secret)).toBe(200);
    expect(new Set(await statusesOf(120 - 63, other.id, 'wrong'))).toEqual(new Set([401]));
    expect(await statusOf(other.id, other.secret)).toBe(429);
  });
});

describe('a signed call', () => {
  const hex = (secret: string, body: string) => createHmac('sha256', secret).update(body).digest('hex');
  const send = async (id: string, body: string, headers: Record<string, string>) => {
    const response = await fetch(`${harness.url}/v1/flag-hooks/${id}`, { method: 'POST', headers, body });
    return [response.status, (await json(response))['switched']];
  };
  /** Creates a hook with the secret of a monitor. */
  async function signed(secret: string) {
    const project = await projectWith();
    const created = await harness.manage('POST', hooksOf(project), { name: 'Sentry', secret });
    expect(created.status).toBe(201);
    return { project, ...((await json(created)) as unknown as NewFlagHook) };
  }
  const secret = 'd3b07384d113edec49eaa6238ad5ff00';
  const body = JSON.stringify({ action: 'critical', data: { title: 'Zu viele Fehler – 100 %' } });

  it.each([
    ['Sentry', 'Sentry-Hook-Signature', ''],
    ['Grafana', 'X-Grafana-Alerting-Signature', ''],
    ['GitHub', 'X-Hub-Signature-256', 'sha256='],
  ])('of %s switches the flag off', async (_name, header, method) => {
    const hook = await signed(secret);
    expect(hook.secret).toBe(secret);
    const wrong = [hex('another secret of it', body), hex(secret, `${body} `), 'x', ''];
    for (const digits of wrong) {
      expect(await send(hook.id, body, { [header]: method + digits })).toEqual([401, undefined]);
    }
    expect((await flagOf(hook.project))['enabled']).toBe(true);
    const over = JSON.stringify({ action: 'resolved' });
    expect(await send(hook.id, over, { [header]: method + hex(secret, over) })).toEqual([200, false]);
    expect(await send(hook.id, body, { [header]: method + hex(secret, body) })).toEqual([200, true]);
    expect((await flagOf(hook.project))['enabled']).toBe(false);
    await eventually(async () => {
      const refused = (await entriesOf(hook.project)).filter(({ outcome }) => outcome === 'refused');
      // Rejections of strangers are limited, then counted in an existing entry.
      expect(refused[0]).toMatchObject({ object: `flag-hook:${hook.id}`, status: 401 });
    });
  });

  it('of Standard Webhooks switches the flag off, unless it is old', async () => {
    const whsec = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const hook = await signed(whsec);
    const call = (body: string, at: Date) =>
      send(hook.id, body, {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': `v1,AAAA ${new Webhook(whsec).sign('msg_1', at, body)}`,
      });
    const fired = JSON.stringify({ type: 'alert.fired' });
    expect(await call(fired, new Date(Date.now() - 600_000))).toEqual([401, undefined]);
    expect(await call(JSON.stringify({ type: 'alert.recovered' }), new Date())).toEqual([200, false]);
    expect(await call(fired, new Date())).toEqual([200, true]);
  });

  it('needs a hook with a secret, and its secret is encrypted', async () => {
    const hook = await signed(secret);
    expect((await harness.manage('POST', hooksOf(hook.project), { name: 'x', secret: 'short' })).status).toBe(
      400,
    );
    const [row] = await harness.sql`select * from flag_hooks where id = ${hook.id}`;
    expect(JSON.stringify(row)).not.toContain(secret);
    const signature = { 'Sentry-Hook-Signature': hex(secret, body) };
    expect(await send(`fhk_${'0'.repeat(32)}`, body, signature)).toEqual([401, undefined]);
    await harness.sql`update flag_hooks set encrypted_secret = null where id = ${hook.id}`;
    expect(await send(hook.id, body, signature)).toEqual([401, undefined]);
    expect((await call(hook.id, { secret }))[0]).toBe(200);
  });

  it('is checked with secrets that were encrypted with another value of WEBHOOK_SECRET', async () => {
    const hook = await signed(secret);
    const read = async () =>
      (await harness.sql`select encrypted_secret from flag_hooks where id = ${hook.id}`)[0]?.[
        'encrypted_secret'
      ];
    const before = await read();
    const WEBHOOK_SECRET = `${'another secret '.repeat(3)},the webhook secret of a test with 32 or more characters`;
    const next = await harness.startInstance({ WEBHOOK_SECRET });
    await eventually(async () => expect(await read()).not.toBe(before));
    const response = await fetch(`${next.url}/v1/flag-hooks/${hook.id}`, {
      method: 'POST',
      headers: { 'Sentry-Hook-Signature': hex(secret, body) },
      body,
    });
    expect(response.status).toBe(200);
    await next.stop();
  });
});
