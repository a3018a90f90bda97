import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { eventually, spawnProgram } from '@switchboard/testkit';
import { median } from '../lib/median.ts';

interface Demo {
  base_url: string;
  eu_api_url: string;
  project_key: string;
}

/**
 * Measures from the 202 of an identify to the first evaluation that uses it, in standalone, over HTTP. One way evaluates
 * again until the result has changed; the other evaluates once, with the X-State-Token of the identify.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({ args, options: { times: { type: 'string', default: '200' } } });
  const home = await mkdtemp(join(tmpdir(), 'bench-identify-'));
  const standalone = await spawnProgram({
    command: ['node', join(import.meta.dirname, '../../deploy/standalone/src/main.ts')],
    env: { NODE_ENV: 'production', SWITCHBOARD_HOME: home },
    ready: '/health/ready',
    output: 'inherit',
  });
  try {
    const demo = await demoOf(home);
    const waits: number[] = [];
    const times = Number(values.times);
    for (let i = 0; i < times; i++) waits.push(await untilSeen(demo, `person-${i}`));
    report('polling', waits);
    const outcomes: Outcome[] = [];
    for (let i = 0; i < times; i++) outcomes.push(await evaluateOnce(demo, `waiting-${i}`));
    report(
      'one request with the token',
      outcomes.map(({ tookMs }) => tookMs),
    );
    const seen = outcomes.filter(({ isSeen }) => isSeen).length;
    process.stdout.write(`used by that request: ${seen} of ${times}\n`);
  } finally {
    await standalone.stop();
    await rm(home, { recursive: true, force: true });
  }
}

/** The demo file is written last, a moment after the services are ready. */
async function demoOf(home: string): Promise<Demo> {
  return JSON.parse(await eventually(() => readFile(join(home, 'demo.json'), 'utf8'), { withinMs: 30_000 }));
}

function report(what: string, waits: readonly number[]): void {
  const sorted = [...waits].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(1);
  const highest = sorted.at(-1)?.toFixed(1);
  process.stdout.write(
    `identify to evaluation, ${what}, ${sorted.length} times: median ${median(sorted).toFixed(1)} ms, p99 ${at(0.99)} ms, highest ${highest} ms\n`,
  );
}

/** Resolves with the X-State-Token. */
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

interface Outcome {
  tookMs: number;
  isSeen: boolean;
}

async function evaluateOnce(demo: Demo, person: string): Promise<Outcome> {
  const token = await identify(demo, person);
  const acceptedAt = performance.now();
  const isSeen = await isPro(demo, person, token);
  return { tookMs: performance.now() - acceptedAt, isSeen };
}
