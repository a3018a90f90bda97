import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { eventually } from '@switchboard/testkit';
import { median } from '../lib/median.ts';
import { decimals, printTable } from '../lib/table.ts';
import { type Deployment, deployInstances, deployStandalone, LOGS } from './deployment.ts';

/** The first turns are not counted, because new processes still compile code and plan queries. */
const WARM_TURNS = 50;

const COLUMNS = ['log', 'asking', 'times', 'p50 ms', 'p99 ms', 'max ms', 'seen'];

/**
 * Measures over HTTP from the 202 of an identify to the first evaluation that uses it. Covers standalone, and two
 * instances each of ingestion and flags. One method polls every instance until the result has changed. The other
 * evaluates once, with the X-State-Token of the identify.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      times: { type: 'string', default: '200' },
      log: { type: 'string', default: LOGS.join() },
    },
  });
  const rows: string[][] = [];
  for (const log of values.log.split(',')) {
    const deployment = await deploy(log);
    try {
      rows.push(...(await measure(log, deployment, Number(values.times))));
    } finally {
      await deployment.stop();
    }
  }
  printTable(COLUMNS, rows);
}

function deploy(log: string): Promise<Deployment> {
  if (log === 'standalone') return deployStandalone();
  if (log === 'postgres' || log === 'kafka') return deployInstances(log);
  throw new Error(`--log: unknown log "${log}"; use one of ${LOGS.join(', ')}.`);
}

async function measure(log: string, deployment: Deployment, times: number): Promise<string[][]> {
  const { ingestion, flags } = deployment;
  for (const url of ingestion) {
    await eventually(() => untilSeen({ ...deployment, ingestion: [url] }, 'warm-up', 0), {
      withinMs: 60_000,
    });
  }
  for (let turn = 1; turn < WARM_TURNS; turn++) await untilSeen(deployment, 'warm-up', turn);
  const waits: number[] = [];
  for (let turn = 0; turn < times; turn++) waits.push(...(await untilSeen(deployment, 'person', turn)));
  const tookMs: number[] = [];
  let seen = 0;
  for (let turn = 0; turn < times; turn++) {
    // Combines each instance of one service with each of the other.
    const url = flags[Math.floor(turn / ingestion.length) % flags.length] ?? '';
    const token = await identify(deployment, `waiting-${turn}`, turn);
    const acceptedAt = performance.now();
    if (await isPro(deployment, url, `waiting-${turn}`, token)) seen++;
    tookMs.push(performance.now() - acceptedAt);
  }
  return [
    row(log, flags.length === 1 ? 'repeatedly' : 'repeatedly, each instance', waits, waits.length),
    row(log, 'once, with X-State-Token', tookMs, seen),
  ];
}

function row(log: string, asking: string, waits: readonly number[], seen: number): string[] {
  const sorted = waits.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  const times = [median([...waits]), p99, sorted.at(-1) ?? 0].map((wait) => decimals(wait));
  return [log, asking, String(waits.length), ...times, String(seen)];
}

/** Sends an identify, and resolves with the X-State-Token. */
async function identify(
  { ingestion, projectKey }: Deployment,
  person: string,
  turn: number,
): Promise<string> {
  const response = await fetch(`${ingestion[turn % ingestion.length]}/v1/identify`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${projectKey}` },
    body: JSON.stringify({ distinct_id: person, properties: { plan: 'pro' } }),
  });
  if (response.status !== 202) throw new Error(`identify: ${response.status} ${await response.text()}`);
  await response.body?.cancel();
  return response.headers.get('X-State-Token') ?? '';
}

async function isPro({ projectKey }: Deployment, url: string, person: string, token?: string) {
  const headers = { Authorization: `Bearer ${projectKey}`, ...(token ? { 'X-State-Token': token } : {}) };
  const answer = await fetch(`${url}/v1/flags?distinct_id=${person}`, { headers });
  const { flags }: { flags: Record<string, unknown> } = JSON.parse(await answer.text());
  return flags['pro-dashboard'] === true;
}

/** Resolves with the delay for each flags instance. */
async function untilSeen(deployment: Deployment, prefix: string, turn: number): Promise<number[]> {
  const person = `${prefix}-${turn}`;
  await identify(deployment, person, turn);
  const acceptedAt = performance.now();
  return Promise.all(
    deployment.flags.map(async (url) => {
      while (!(await isPro(deployment, url, person))) {
        if (performance.now() - acceptedAt > 10_000) throw new Error('not seen within 10 s');
        await sleep(1);
      }
      return performance.now() - acceptedAt;
    }),
  );
}
