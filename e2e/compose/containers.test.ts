import { get } from 'node:http';
import { consoleOperations, interfaceOperations, publicOperations } from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callEveryOperation, prepareOperations } from '../harness/every-operation.ts';
import { openSocket } from '../harness/socket.ts';
import { compose, IS_UP, inside } from './engine.ts';
import { type Client, CONSOLE, GATEWAY, ISSUER, mails, newProject, readDemo } from './published.ts';

describe.skipIf(!IS_UP)('docker compose up', () => {
  let demo: Awaited<ReturnType<typeof readDemo>>;
  let client: Client;
  beforeAll(async () => {
    demo = await readDemo();
    client = await newProject('web-shop');
  });

  const withKey = () => ({ Authorization: `Bearer ${demo.project_key}` });
  const as = (who: string) => ({ Authorization: `Bearer ${demo.tokens[who]}` });
  const management = (path: string) =>
    `${demo.management_url}/management/v1/projects/${demo.project_id}${path}`;

  it('seeds the demo with the published addresses', () => {
    expect(demo).toMatchObject({
      base_url: GATEWAY.api,
      eu_api_url: GATEWAY.events,
      eu_replay_url: GATEWAY.replay,
      management_url: 'http://127.0.0.1:4003',
      console_url: CONSOLE,
      issuer_url: ISSUER,
    });
  });

  it('evaluates flags with identified traits, across the two flags containers', async () => {
    const identified = await fetch(`${demo.eu_api_url}/v1/identify`, {
      method: 'POST',
      headers: withKey(),
      body: JSON.stringify({ distinct_id: 'ada', properties: { plan: 'pro' } }),
    });
    expect(identified.status).toBe(202);
    await eventually(
      async () => {
        const answer = await fetch(`${demo.base_url}/v1/flags?distinct_id=ada`, { headers: withKey() });
        expect(await answer.json()).toMatchObject({ flags: { 'pro-dashboard': true } });
      },
      { withinMs: 30_000 },
    );
  });

  it('serves the SDKs with the published address', async () => {
    const index = await (await fetch(`${GATEWAY.api}/sdk/index.json`)).json();
    expect(index).toMatchObject({
      packages: { '@switchboard/messenger': `${GATEWAY.api}/sdk/messenger.tgz` },
    });
    for (const name of ['browser.js', 'messenger.tgz'])
      expect((await fetch(`${GATEWAY.api}/sdk/${name}`)).status).toBe(200);
  });

  it('accepts an event and archives it in a volume', async () => {
    const now = new Date().toISOString();
    const event = { event_id: 'e1', distinct_id: 'ada', event_name: 'x', schema_version: 1, timestamp: now };
    const answer = await fetch(`${demo.eu_api_url}/v1/events`, {
      method: 'POST',
      headers: withKey(),
      body: JSON.stringify({ sent_at: now, events: [event] }),
    });
    expect(answer.status).toBe(202);
    const { file } = await eventually(
      async () => {
        const found = await (await fetch(management('/events/e1'), { headers: as('operator') })).json();
        return z.object({ archived: z.object({ file: z.string() }) }).parse(found).archived;
      },
      { withinMs: 60_000 },
    );
    expect(await inside('s3', 'test', '-s', `/data/switchboard/${file}`)).toMatchObject({ code: 0 });
  });

  it('stores the recording of the demo', async () => {
    await eventually(
      async () => {
        const answer = await fetch(management('/replays'), { headers: as('operator') });
        expect(await answer.json()).toMatchObject({ replays: [expect.anything()] });
      },
      { withinMs: 60_000 },
    );
  });

  it('opens a shared report by its public link', async () => {
    const path = `/v1/projects/${demo.project_id}/reports/${demo.report_id}/public-link`;
    const link = await fetch(`${demo.base_url}${path}`, { headers: as('owner') });
    const { url } = z.object({ url: z.string() }).parse(await link.json());
    expect(url).toContain(`${GATEWAY.api}/shared/`);
    expect(await (await fetch(url)).text()).toContain('<svg');
  });

  it('returns the messenger configuration, and a picture from the object store', async () => {
    const answer = await fetch(`${demo.base_url}/v1/messenger/config`, { headers: withKey() });
    const { team } = z
      .object({ team: z.array(z.object({ avatarUrl: z.string() })) })
      .parse(await answer.json());
    const picture = await fetch(`${demo.base_url}${team[0]?.avatarUrl}`, { headers: withKey() });
    expect(picture.headers.get('content-type')).toBe('image/svg+xml');
  });

  it('emails a shared report', async () => {
    const before = await mails();
    const { project_id, report_id } = demo;
    const answer = await fetch(`${demo.base_url}/v1/projects/${project_id}/reports/${report_id}/shares`, {
      method: 'POST',
      headers: as('owner'),
      body: JSON.stringify({
        recipients: [demo.subs['teammate']],
        link: `${demo.console_url}/projects/${project_id}/reports/${report_id}`,
        language: 'en',
      }),
    });
    expect(answer.status).toBe(201);
    await eventually(async () => expect(await mails()).toBe(before + 1), { withinMs: 30_000 });
  });

  it('notifies a visitor and an SDK on their sockets', async () => {
    const { call, manage, project } = client;
    const path = `/projects/${project.id}`;
    const flags = await openSocket(`${GATEWAY.api}/v1/flags/socket?api_key=${project.key}`);
    await flags.next('ready');
    await manage('flags', 'PUT', `${path}/flags/beta`, { enabled: true, rolloutPercentage: 100 });
    await flags.next('flags_changed');
    flags.close();

    const opened = z.object({ conversationId: z.string(), token: z.string() });
    const { conversationId, token } = opened.parse((await call('openConversation')).body);
    const visitor = await openSocket(`${GATEWAY.api}/v1/messenger/socket?api_key=${project.key}`);
    visitor.send({ type: 'subscribe', conversationId, token });
    await visitor.next('subscribed');
    await manage('messenger', 'PUT', `${path}/team/grace`, { name: 'Grace' });
    const turn = { authorId: 'grace', body: 'We are looking.' };
    await manage('messenger', 'POST', `${path}/conversations/${conversationId}/turns`, turn);
    expect(await visitor.next('turn')).toMatchObject({ turn: { body: turn.body } });
    visitor.close();
  });

  it('serves every operation through the gateway', async () => {
    const overlay = ['--file', 'docker-compose.yml', '--file', 'e2e/compose/providers.yml'];
    await compose(
      ...overlay,
      'up',
      '--detach',
      '--wait',
      '--no-deps',
      '--no-build',
      'providers',
      'messenger',
    );
    const { call, manage, project } = client;
    const prepared = await prepareOperations(manage, project);
    const answers = await callEveryOperation(call, {
      ...prepared,
      reportLink: `${CONSOLE}/projects/${project.id}/reports/${project.reportId}`,
    });
    const statuses = [...answers].map(([operationId, { status, body }]) => ({ operationId, status, body }));
    expect(statuses.filter(({ status }) => status >= 300)).toEqual([]);
    // Excludes the streams, which do not end, and console operations, which the gateway tests call.
    const others = publicOperations.filter(
      (one) =>
        !['streamFlagChanges', 'streamEvents', 'streamConversations'].includes(one.operationId) &&
        !consoleOperations.includes(one),
    );
    expect([...answers.keys()].sort()).toEqual(others.map((it) => it.operationId).sort());
    expect(interfaceOperations).toHaveLength(40);
  });

  it('keeps the management API off the gateway, and mints tokens on loopback', async () => {
    const made = await fetch(`${ISSUER}/dev/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ sub: 'me', permissions: ['service.manage'] }),
    });
    const { token } = z.object({ token: z.string() }).parse(await made.json());
    const headers = { Authorization: `Bearer ${token}` };
    const flag = management('/flags/pro-dashboard');
    expect((await fetch(flag, { headers })).status).toBe(200);
    expect((await fetch(flag.replace(demo.management_url, GATEWAY.api), { headers })).status).toBe(404);
  });

  it('refuses web pages on the ports of the demo, by their Host and by their Origin', async () => {
    const status = (url: string, headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asked = get(url, { headers }, (response) => resolve(response.resume().statusCode));
        asked.on('error', reject);
      });
    for (const url of [`${ISSUER}/demo.json`, `${demo.management_url}/management/v1/ai/markup`, CONSOLE]) {
      expect([url, await status(url, {})]).not.toEqual([url, 403]);
      expect([url, await status(url, { Host: 'evil.example' })]).toEqual([url, 403]);
      expect([url, await status(url, { Origin: 'https://evil.example' })]).toEqual([url, 403]);
    }
  });

  it('denies a service access to the database of another', async () => {
    const url = 'postgres://flags:dev-only-flags@127.0.0.1/catalogue';
    const { output } = await inside('postgres', 'psql', url, '--command', 'select 1');
    expect(output).toContain('permission denied for database "catalogue"');
  });

  it('lets the role of a service change rows, and nothing else', async () => {
    const url = 'postgres://flags:dev-only-flags@127.0.0.1/flags';
    const say = (sql: string) => inside('postgres', 'psql', url, '-At', '--command', sql);
    for (const statement of ['create table t ()', 'truncate flags', 'drop table flags', 'create schema s']) {
      expect((await say(statement)).output, statement).toMatch(/permission denied|must be owner/);
    }
    const owned = await say('select count(*) from pg_class where relowner = current_user::regrole');
    expect(owned.output.trim()).toBe('0');
  });
});
