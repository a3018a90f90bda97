import { once } from 'node:events';
import { eventually } from '@switchboard/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { json, type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
const other = await harness.startInstance();

async function openSocket({ key }: TestProject, url: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/flags/socket?api_key=${key}`);
  onTestFinished(() => socket.terminate());
  await once(socket, 'message');
  return socket;
}

async function openStream({ key }: TestProject, headers: Record<string, string> = {}): Promise<void> {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const { body } = await fetch(`${harness.url}/ofrep/v1/changes?api_key=${key}`, {
    headers,
    signal: stopping.signal,
  });
  await body?.getReader().read();
}

const clientsOf = async ({ id }: TestProject, url = harness.url) =>
  json(await harness.manage('GET', `/projects/${id}/flag-clients`, undefined, url));

test('counts the clients of a project on every instance, and those that were sent its last change', async () => {
  const [project, another] = [await harness.createProject(), await harness.createProject()];
  expect(await clientsOf(project)).toMatchObject({ connected: 0, notified: 0 });
  const leaving = await openSocket(project, harness.url);
  await openSocket(project, other.url);
  await openStream(project);
  await openStream(project, { Origin: 'https://console.example' });
  await openSocket(another, other.url);
  for (const [round, url] of [harness.url, other.url].entries()) {
    await harness.putFlag(project, { key: 'payments', enabled: round === 0, rolloutPercentage: 100 }, url);
    const { generatedAt } = await json(await harness.get('/v1/flags/snapshot', project.key, { url }));
    for (const asked of [harness.url, other.url])
      await eventually(async () =>
        expect(await clientsOf(project, asked)).toEqual({
          changedAt: generatedAt,
          connected: 3,
          notified: 3,
        }),
      );
  }
  leaving.close();
  await eventually(async () => expect(await clientsOf(project)).toMatchObject({ connected: 2, notified: 2 }));
  expect(await clientsOf(another)).toMatchObject({ connected: 1 });
});

test('does not count clients as notified that were not sent a change', async () => {
  const project = await harness.createProject();
  await openSocket(project, other.url);
  // This change sends no notification.
  await harness.sql`
    insert into rulesets (project_id, changed_at) values (${project.id}, '2026-01-01T00:00:00.000Z')
    on conflict (project_id) do update set changed_at = excluded.changed_at`;
  expect(await clientsOf(project)).toEqual({
    changedAt: '2026-01-01T00:00:00.000Z',
    connected: 1,
    notified: 0,
  });
});
