import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@switchboard/testkit';
import { type Deployment, deployInstances, deployStandalone, type LogName } from './instances.ts';
import type { Latencies } from './latencies.ts';

/** The first turns are not counted, because new processes and a new broker still compile code and plan queries. */
const WARM_TURNS = 400;

/**
 * Measures over HTTP from the 202 of an identify to the first evaluation that uses it, in standalone or on two
 * instances each of ingestion and flags. One method polls every instance until the result has changed. The other
 * evaluates once, with the X-State-Token of the identify. With `joins`, the identify joins the id that is evaluated.
 */
export async function measureIdentify(log: LogName, times: number, joins = false): Promise<Latencies[]> {
  const deployment = await (log === 'standalone' ? deployStandalone() : deployInstances(log));
  try {
    const name = `${joins ? 'join' : 'identify'} on ${log}`;
    const target = { ...deployment, joins };
    const polledMs = await poll(target, times);
    const tokens = await evaluateOnce(target, times);
    return [
      { name: `${name}, polled`, ms: polledMs },
      { name: `${name}, once with X-State-Token`, ...tokens },
    ];
  } finally {
    await deployment.stop();
  }
}

interface Target extends Deployment {
  /** Whether identify calls name an id that they join to the person. */
  joins: boolean;
}

async function poll(deployment: Target, times: number): Promise<number[]> {
  for (const url of deployment.ingestion) {
    await eventually(() => untilSeen({ ...deployment, ingestion: [url] }, 'warm-up', 0), {
      withinMs: 60_000,
    });
  }
  for (let turn = 1; turn < WARM_TURNS; turn++) await untilSeen(deployment, 'warm-up', turn);
  const waits: number[] = [];
  for (let turn = 0; turn < times; turn++) waits.push(...(await untilSeen(deployment, 'person', turn)));
  return waits;
}

async function evaluateOnce(deployment: Target, times: number): Promise<{ ms: number[]; missed: number }> {
  const { ingestion, flags } = deployment;
  const ms: number[] = [];
  let missed = 0;
  for (let turn = 0; turn < times; turn++) {
    // Combines each instance of one service with each of the other.
    const url = flags[Math.floor(turn / ingestion.length) % flags.length] ?? '';
    const token = await identify(deployment, `waiting-${turn}`, turn);
    const acceptedAt = performance.now();
    if (!(await isPro(deployment, url, `waiting-${turn}`, token))) missed++;
    ms.push(performance.now() - acceptedAt);
  }
  return { ms, missed };
}

/** Sends an identify, and resolves with the X-State-Token. A joined id is evaluated instead of the identified one. */
async function identify(
  { ingestion, projectKey, joins }: Target,
  person: string,
  turn: number,
): Promise<string> {
  const response = await fetch(`${ingestion[turn % ingestion.length]}/v1/identify`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${projectKey}` },
    body: JSON.stringify(
      joins
        ? { distinct_id: `known-${person}`, properties: { plan: 'pro', anonymous_id: person } }
        : { distinct_id: person, properties: { plan: 'pro' } },
    ),
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
async function untilSeen(deployment: Target, prefix: string, turn: number): Promise<number[]> {
  const person = `${prefix}-${turn}`;
  await identify(deployment, person, turn);
  const acceptedAt = performance.now();
  return Promise.all(
    // Polls with a pause, because a poll takes CPU from what it waits for.
    deployment.flags.map(async (url) => {
      while (!(await isPro(deployment, url, person))) {
        if (performance.now() - acceptedAt > 10_000) throw new Error('not seen within 10 s');
        await sleep(3);
      }
      return performance.now() - acceptedAt;
    }),
  );
}
