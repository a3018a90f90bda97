import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInProcess } from '@switchboard/cli/testing';
import { createClient } from '@switchboard/management';
import { eventually, programFile } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { standaloneForTests } from './testing/launch.ts';

const running = standaloneForTests();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-import-events-'));
});
afterAll(() => rm(folder, { recursive: true }));

const env = () => ({
  SWITCHBOARD_URL: running.demo.management_url,
  SWITCHBOARD_INGESTION_URL: running.demo.eu_api_url,
  SWITCHBOARD_TOKEN: running.demo.tokens.operator,
});
const argumentsOf = (...args: string[]) => [
  'import',
  'events',
  ...args,
  '--project',
  running.demo.project_id,
];
const importEvents = (...args: string[]) => runInProcess(argumentsOf(...args), env());
const report = async (...args: string[]) => JSON.parse((await importEvents(...args, '--json')).out);

async function asOwner(path: string, body?: object) {
  const answer = await fetch(`${running.demo.base_url}/v1/projects/${running.demo.project_id}/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${running.demo.tokens.owner}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return Object(await answer.json());
}

/** Returns the number of events with a name in 2024. */
async function countOf(event: string): Promise<number> {
  const range = { from: '2024-01-01', to: '2024-12-31' };
  const found = await asOwner('insights', { kind: 'trends', range, interval: 'month', series: [{ event }] });
  return found.report.series[0].values.reduce((sum: number, value: number) => sum + value, 0);
}

const EVENTS = 21_000;
const row = (index: number, more: object = {}) =>
  JSON.stringify({
    uuid: `imported-${index}`,
    event: 'history imported',
    distinct_id: `imported-${index % 100}`,
    timestamp: new Date(Date.UTC(2024, 0, 1) + index * 600_000).toISOString(),
    properties: { $is_identified: index === 0, total: index },
    ...more,
  });

test('an import that is killed and run again has each event once, in insights and with its people', async () => {
  const file = join(folder, 'export.jsonl');
  const rows = Array.from({ length: EVENTS }, (_, index) => row(index));
  rows[0] = row(0, { person_properties: { plan: 'imported' } });
  await writeFile(file, `${rows.join('\n')}\n{"event":"broken"}\n`);

  const rehearsed = await report('posthog', file, '--dry-run');
  const refused = [{ kind: 'timestamp: not a time', count: 1, first: `${file}:${EVENTS + 1}` }];
  expect(rehearsed).toMatchObject({ imported: EVENTS, known: 0, people: 1, refused });

  const program = await programFile('packages/tools/cli/src/main.ts');
  const killed = spawn(process.execPath, [program, ...argumentsOf('posthog', file)], {
    env: { ...process.env, ...env() },
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => killed.once('exit', resolve));
  const client = createClient({ url: running.demo.management_url, token: running.demo.tokens.operator });
  const params = { projectId: running.demo.project_id };
  await eventually(
    async () => {
      const [one] = (await client.call('listImports', { params })).imports;
      expect(one?.parts).toBeGreaterThan(0);
    },
    { withinMs: 60_000 },
  );
  killed.kill('SIGKILL');
  await ended;

  const again = await report('posthog', file);
  expect(again).toMatchObject({ known: expect.any(Number), refused });
  expect(again.known).toBeGreaterThan(0);
  expect(again.imported + again.known).toBe(EVENTS);
  expect(await report('posthog', file)).toMatchObject({ imported: 0, known: EVENTS });

  const [found] = (await client.call('listImports', { params })).imports;
  expect(found).toMatchObject({ source: 'posthog', parts: 3, totalParts: 3, nextPart: 3, events: EVENTS });
  await eventually(async () => expect(await countOf('history imported')).toBe(EVENTS), { withinMs: 60_000 });
  await eventually(
    async () => expect((await asOwner('people/imported-0')).traits).toEqual({ plan: 'imported' }),
    { withinMs: 60_000 },
  );
});

test('a file of another format is refused with its first problem', async () => {
  const file = join(folder, 'other.jsonl');
  await writeFile(file, '{"event":"paid","properties":{}}\n'.repeat(200));
  const { code, err } = await importEvents('amplitude', file);
  expect(code).toBe(2);
  expect(err).toContain('not events of amplitude: the first 100 records are refused: event_type: not a text');
  expect((await importEvents('amplitude', join(folder, 'none'))).err).toContain('cannot be read (ENOENT)');
  expect((await importEvents('elsewhere', file)).err).toContain('sources: amplitude, csv');
  expect((await importEvents('csv', file)).err).toContain('csv: give --mapping');
});
