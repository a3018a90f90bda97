import { eventually } from '@switchboard/testkit';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Instance, json, type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
let other: Instance;
beforeAll(async () => {
  other = await harness.startInstance();
});

interface Follow {
  url?: string;
  headers?: Record<string, string>;
}

/** Reads a stream until it ends or the test does. */
async function follow({ key }: TestProject, { url = harness.url, headers = {} }: Follow = {}) {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const response = await fetch(`${url}/ofrep/v1/changes?api_key=${key}`, {
    headers,
    signal: stopping.signal,
  });
  const client = { response, text: '', isOver: false, isBroken: false, stop: () => stopping.abort() };
  const read = async () => {
    for await (const bytes of response.body ?? []) client.text += Buffer.from(bytes).toString();
  };
  void read()
    .catch(() => {
      client.isBroken = true;
    })
    .finally(() => {
      client.isOver = true;
    });
  return client;
}

/** Returns the ids of the events so far. Checks that the data of each event has the same id. */
function idsIn(text: string): string[] {
  const events = [...text.matchAll(/^id: (.*)\ndata: (.*)\n\n/gm)];
  return events.map(([, id = '', data = '']) => {
    const lastModified = Math.floor(Date.parse(id) / 1000);
    expect(JSON.parse(data)).toEqual({ type: 'refetchEvaluation', etag: id, lastModified });
    return id;
  });
}

const flag = (enabled: boolean) => ({ key: 'kill-switch', enabled, rolloutPercentage: 100 });
const changedAt = async ({ key }: TestProject) =>
  String((await json(await harness.get('/v1/flags/snapshot', key)))['generatedAt']);

test('sends an event on a stream at once, and one for each change made by any instance', async () => {
  const [project, another] = [await harness.createProject(), await harness.createProject()];
  const clients = [await follow(project), await follow(project, { url: other.url })];
  const stranger = await follow(another);
  const [first] = clients;
  expect(first?.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(first?.response.headers.get('access-control-allow-origin')).toBe('*');
  const expected = [await changedAt(project)];
  for (const [round, url] of [harness.url, other.url].entries()) {
    await harness.putFlag(project, flag(round === 0), url);
    const response = await harness.get('/v1/flags/snapshot', project.key, { url });
    expected.push(String((await json(response))['generatedAt']));
    for (const client of clients) await eventually(() => expect(idsIn(client.text)).toEqual(expected));
  }
  expect(first?.text).toMatch(/^retry: \d+\n\n/);
  expect(idsIn(stranger.text)).toHaveLength(1);
});

test('sends a client that comes back an event only if it missed a change', async () => {
  const project = await harness.createProject();
  await harness.putFlag(project, flag(true));
  const last = await changedAt(project);
  const knows = await follow(project, { headers: { 'Last-Event-ID': last } });
  await eventually(() => expect(knows.text).toContain(': ready\n\n'));
  expect(idsIn(knows.text)).toEqual([]);
  await harness.putFlag(project, flag(false));
  const now = await changedAt(project);
  const missed = await follow(project, { headers: { 'Last-Event-ID': last } });
  for (const client of [knows, missed]) await eventually(() => expect(idsIn(client.text)).toEqual([now]));
});

test('ends a stream when its key is revoked, at every instance, and refuses its return', async () => {
  const [project, another] = [await harness.createProject(), await harness.createProject()];
  const clients = [await follow(project), await follow(project, { url: other.url })];
  const stays = await follow(another);
  await harness.directory.remove('key', project.key);
  for (const client of clients) await eventually(() => expect(client.isOver).toBe(true));
  expect(stays.isOver).toBe(false);
  expect((await follow(project)).response.status).toBe(401);
});

test('ends a stream, and does not cut it off, when its instance stops', async () => {
  const leaving = await harness.startInstance();
  const client = await follow(await harness.createProject(), { url: leaving.url });
  await leaving.stop();
  await eventually(() => expect(client).toMatchObject({ isOver: true, isBroken: false }));
});

test('counts streams like sockets, for an address and for a project, until they end', async () => {
  const { url } = await harness.startInstance({ SOCKETS_MAX: '20' });
  const project = await harness.createProject();
  const [first] = [await follow(project, { url }), await follow(project, { url })];
  const { response } = await follow(project, { url });
  expect(response.status).toBe(429);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  first?.stop();
  await eventually(async () => expect((await follow(project, { url })).response.status).toBe(200));
});

test('opens no stream for HEAD, and refuses a stream without a key', async () => {
  const { url } = await harness.startInstance({ SOCKETS_MAX: '10' });
  const { key } = await harness.createProject();
  const address = `${url}/ofrep/v1/changes?api_key=${key}`;
  for (let round = 0; round < 3; round++) expect((await fetch(address, { method: 'HEAD' })).status).toBe(200);
  expect((await follow({ id: '', key }, { url })).response.status).toBe(200);
  expect((await fetch(`${url}/ofrep/v1/changes`)).status).toBe(401);
});
