import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '@switchboard/testkit';
import { median } from '../lib/median.ts';
import { startServer } from '../lib/process.ts';

interface Demo {
  base_url: string;
  eu_api_url: string;
  project_key: string;
}

/**
 * From the 202 of an identify to the first evaluation that sees it, in standalone, through HTTP: how long a
 * client waits before flags know what it has just said. Asks again at once until the answer has changed, or once,
 * with the X-State-Token of the identify.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { times: { type: 'string', default: '200' } } });
  const home = await mkdtemp(join(tmpdir(), 'bench-identify-'));
  const script = join(import.meta.dirname, '../../deploy/standalone/src/main.ts');
  const port = await freePort();
  const standalone = await startServer({
    script,
    port,
    env: { SWITCHBOARD_HOME: home },
    readyPath: '/health/ready',
  });
  try {
    const demo = await demoOf(home);
    const waits: number[] = [];
    const times = Number(values.times);
    for (let i = 0; i < times; i++) waits.push(await untilSeen(demo, `person-${i}`));
    report('asking again and again', waits);
    const answers: Answer[] = [];
    for (let i = 0; i < times; i++) answers.push(await askOnce(demo, `waiting-${i}`));
    report(
      'asking once with the token',
      answers.map(({ tookMs }) => tookMs),
    );
    const seen = answers.filter(({ isSeen }) => isSeen).length;
    process.stdout.write(`seen by the one answer: ${seen} of ${times}\n`);
  } finally {
    await standalone.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/** The demo file is written last, a moment after the services are ready. */
async function demoOf(home: string): Promise<Demo> {
  for (let tries = 0; tries < 300; tries++) {
    const text = await readFile(join(home, 'demo.json'), 'utf8').catch(() => undefined);
    if (text !== undefined) return JSON.parse(text);
    await sleep(100);
  }
  throw new Error(`${home}/demo.json was not written within 30 s`);
}

function report(what: string, waits: readonly number[]): void {
  const sorted = [...waits].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(1);
  const highest = sorted.at(-1)?.toFixed(1);
  process.stdout.write(
    `identify to evaluation, ${what}, ${sorted.length} times: median ${median(sorted).toFixed(1)} ms, p99 ${at(0.99)} ms, highest ${highest} ms\n`,
  );
}

/** Answers the X-State-Token. */
async function identify({ eu_api_url, project_key }: Demo, person: string): Promise<string> {
  const headers = { Authorization: `Bearer ${project_key}` };
  const body = JSON.stringify({ distinct_id: person, properties: { plan: 'pro' } });
  const response = await fetch(`${eu_api_url}/v1/identify`, { method: 'POST', headers, body });
  if (response.status !== 202) throw new Error(`identify: ${response.status} ${await response.text()}`);
  await response.body?.cancel();
  return response.headers.get('X-State-Token') ?? '';
}

async function isPro({ base_url, project_key }: Demo, person: string, token?: string): Promise<boolean> {
  const headers = { Authorization: `Bearer ${project_key}`, ...(token ? { 'X-State-Token': token } : {}) };
  const answer = await fetch(`${base_url}/v1/flags?distinct_id=${person}`, { headers });
  const { flags } = (await answer.json()) as { flags: Record<string, unknown> };
  return flags['pro-dashboard'] === true;
}

async function untilSeen(demo: Demo, person: string): Promise<number> {
  await identify(demo, person);
  const acceptedAt = performance.now();
  while (!(await isPro(demo, person))) {
    if (performance.now() - acceptedAt > 10_000) throw new Error('not seen within 10 s');
  }
  return performance.now() - acceptedAt;
}

interface Answer {
  tookMs: number;
  isSeen: boolean;
}

async function askOnce(demo: Demo, person: string): Promise<Answer> {
  const token = await identify(demo, person);
  const acceptedAt = performance.now();
  const isSeen = await isPro(demo, person, token);
  return { tookMs: performance.now() - acceptedAt, isSeen };
}
