import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FlagsMessage, flagsMessage } from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type Instance, json, type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
let other: Instance;
beforeAll(async () => {
  other = await harness.startInstance();
});

type Message = Exclude<FlagsMessage, { type: 'beat' }>;

async function connect(query: string, url = harness.url) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/flags/socket${query}`);
  onTestFinished(() => socket.terminate());
  const received: Message[] = [];
  socket.on('message', (data) => {
    const message = flagsMessage.parse(JSON.parse(String(data)));
    if (message.type !== 'beat') received.push(message);
  });
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  await once(socket, 'open');
  return { socket, received, closed };
}

/** Connects a client and waits until it has received `ready`. */
async function follow({ key }: TestProject, url = harness.url) {
  const client = await connect(`?api_key=${key}`, url);
  await eventually(() => expect(client.received).toMatchObject([{ type: 'ready' }]));
  return client;
}

const snapshot = async ({ key }: TestProject, url = harness.url) =>
  json(await harness.get('/v1/flags/snapshot', key, { url }));

const flag = (enabled: boolean) => ({ key: 'kill-switch', enabled, rolloutPercentage: 100 });

describe('a socket', () => {
  test('sends a socket the time of the current ruleset, and every change made by any instance', async () => {
    const project = await harness.createProject();
    const clients = [await follow(project), await follow(project), await follow(project, other.url)];
    expect(clients[0]?.received).toEqual([{ type: 'ready', generatedAt: '1970-01-01T00:00:00.000Z' }]);
    for (const [round, url] of [harness.url, other.url, harness.url].entries()) {
      await harness.putFlag(project, flag(round % 2 === 0), url);
      for (const { received } of clients) await eventually(() => expect(received).toHaveLength(round + 2));
      const { generatedAt } = await snapshot(project);
      for (const { received } of clients)
        expect(received.at(-1)).toEqual({ type: 'flags_changed', generatedAt });
    }
    const late = await follow(project);
    expect(late.received).toEqual([{ type: 'ready', generatedAt: (await snapshot(project))['generatedAt'] }]);
  });

  test('sends a socket cohort changes, no edits without effect, and nothing about other projects', async () => {
    const [project, another] = [await harness.createProject(), await harness.createProject()];
    const [client, stranger] = [await follow(project), await follow(another)];
    await harness.putCohort(project, 'beta', { name: 'Beta' });
    await eventually(() => expect(client.received).toHaveLength(2));
    await harness.putCohort(project, 'beta', { name: 'Beta' });
    await harness.putFlag(another, flag(true));
    await eventually(() => expect(stranger.received).toHaveLength(2));
    await sleep(200);
    expect(client.received).toHaveLength(2);
  });

  test('serves a snapshot at least as new as the last message of a socket, on every instance, within moments', async () => {
    const project = await harness.createProject();
    const instances = [harness.url, other.url];
    const clients = await Promise.all(instances.map((url) => follow(project, url)));
    const seen: Promise<void>[] = [];
    for (const { socket } of clients) {
      socket.on('message', (data) => {
        const message = flagsMessage.parse(JSON.parse(String(data)));
        if (message.type === 'beat') return;
        const { generatedAt } = message;
        for (const url of instances) {
          const check = async () => {
            expect(String((await snapshot(project, url))['generatedAt']) >= generatedAt).toBe(true);
          };
          // The other instance may receive a change a moment later.
          seen.push(eventually(check));
        }
      });
    }
    for (let round = 0; round < 20; round++) {
      await harness.putFlag(project, flag(round % 2 === 0), instances[round % 2]);
      await sleep(20);
    }
    const { generatedAt } = await snapshot(project);
    for (const { received } of clients) {
      await eventually(() => expect(received.at(-1)).toEqual({ type: 'flags_changed', generatedAt }));
    }
    await Promise.all(seen);
    expect(seen.length).toBeGreaterThan(0);
  });

  test('sends a socket few messages for many changes, and the newest last', async () => {
    const project = await harness.createProject();
    const { received } = await follow(project);
    for (let round = 0; round < 60; round++) await harness.putFlag(project, flag(round % 2 === 0));
    const { generatedAt } = await snapshot(project);
    await eventually(() => expect(received.at(-1)).toEqual({ type: 'flags_changed', generatedAt }));
    expect(received.length).toBeLessThan(60);
    const times = received.map((message) => message.generatedAt);
    expect(times).toEqual([...new Set(times)].sort());
  });

  test('sends a socket changes made while notifications were lost', async () => {
    const project = await harness.createProject();
    const clients = [await follow(project), await follow(project, other.url)];
    // This change sends no notification.
    await harness.sql`
      insert into rulesets (project_id, changed_at) values (${project.id}, '2026-01-01T00:00:00.000Z')
      on conflict (project_id) do update set changed_at = excluded.changed_at`;
    await harness.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'flags listen'`;
    const message = { type: 'flags_changed', generatedAt: '2026-01-01T00:00:00.000Z' };
    for (const { received } of clients) await eventually(() => expect(received.at(-1)).toEqual(message));
  });

  test('closes a socket with 4401 without a valid key, and with 4403 for a key of another region', async () => {
    const abroad = await harness.createProject({ region: 'us' });
    expect(await (await connect('')).closed).toBe(4401);
    expect(await (await connect('?api_key=nonsense')).closed).toBe(4401);
    expect(await (await connect(`?api_key=${abroad.key}`)).closed).toBe(4403);
  });

  test('closes a socket with 4401 when its key is revoked, at every instance', async () => {
    const [project, another] = [await harness.createProject(), await harness.createProject()];
    const clients = [await follow(project), await follow(project, other.url)];
    const stays = await follow(another);
    await harness.directory.remove('key', project.key);
    for (const { closed } of clients) expect(await closed).toBe(4401);
    expect(stays.socket.readyState).toBe(WebSocket.OPEN);
  });

  test('closes a socket with 1001 when its instance stops', async () => {
    const leaving = await harness.startInstance();
    const { closed } = await follow(await harness.createProject(), leaving.url);
    await leaving.stop();
    expect(await closed).toBe(1001);
  });

  test('limits sockets of an address to a tenth of SOCKETS_MAX', async () => {
    const { url } = await harness.startInstance({ SOCKETS_MAX: '20' });
    const project = await harness.createProject();
    await follow(project, url);
    await follow(project, url);
    await expect(follow(project, url)).rejects.toThrow('429');
  });

  test('serves sockets at the socketUrl of the snapshot, and answers 426 without an upgrade', async () => {
    const project = await harness.createProject();
    const { socketUrl } = await snapshot(project);
    expect(new URL(String(socketUrl)).pathname).toBe('/base/v1/flags/socket');
    expect((await harness.get('/v1/flags/socket', project.key)).status).toBe(426);
  });
});
