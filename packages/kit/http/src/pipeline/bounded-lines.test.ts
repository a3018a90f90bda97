import { createLogger } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { KEY, startTestApp } from '../testing/test-app.ts';

it('logs ten lines a second for each cause of a flood of refused requests, and one that counts the others', async () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = createLogger({ service: 'flags', level: 'info', destination });
  const app = await startTestApp({}, { logger });
  onTestFinished(() => app.stop());
  const refused = (method: string) => fetch(`${app.url}/things/x`, { method });

  await Promise.all([...Array.from({ length: 60 }, () => refused('GET')), refused('POST')]);

  const of = (method: string) =>
    lines.filter((line) => line['msg'] === 'request' && line['method'] === method);
  const counted = () => of('GET').filter((line) => 'notLogged' in line);
  const written = () => of('GET').filter((line) => 'requestId' in line);
  await eventually(() => {
    const left = counted().reduce((sum, line) => sum + Number(line['notLogged']), 0);
    expect(written().length + left).toBe(60);
  });
  expect(counted()[0]).toMatchObject({ level: 'info', route: '/things/{name}', status: 401 });
  expect(written().length).toBeLessThan(60);
  expect(of('POST')).toHaveLength(1);
});

it('names the project in log lines of a request, after its key was checked', async () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = createLogger({ service: 'flags', level: 'debug', destination });
  const app = await startTestApp({}, { logger });
  onTestFinished(() => app.stop());
  const headers = { Authorization: `Bearer ${KEY}` };
  await fetch(`${app.url}/things/x`, { headers });
  await fetch(`${app.url}/files/defect`, { method: 'POST', headers });
  await fetch(`${app.url}/things/x`);
  await eventually(() => expect(lines).toHaveLength(4));
  expect(lines).toMatchObject([
    { msg: 'request', status: 200, project: 'p1' },
    { msg: 'request failed', project: 'p1' },
    { msg: 'request', status: 500, project: 'p1' },
    { msg: 'request', status: 401 },
  ]);
  expect(lines[3]).not.toHaveProperty('project');
});
