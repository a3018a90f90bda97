import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Program } from '@switchboard/testkit';
import { AUTHORIZED, type Deployment, deploy, PROJECT_KEY } from '../flags/deployment.ts';
import { applyLoad } from '../lib/load.ts';
import { medianRun } from '../lib/median.ts';
import { decimals, printTable } from '../lib/table.ts';
import { openSockets, type Sockets } from './sockets.ts';

const KILL_SWITCH = 'kill-switch';
/** Longer than the service's pause between two messages to a client. */
const BETWEEN_MS = 150;

/** Milliseconds since the request that toggles a kill switch. */
interface Times {
  /** The times until a client was notified: one per client and change. */
  notified: number[];
  /** The times until an instance evaluated with the change: one per instance and change. */
  evaluated: number[];
}

/**
 * Measures how long a kill switch takes to reach connected clients and the evaluation of every instance. Runs two
 * instances as processes and splits the sockets over them. Toggles the switch through the management API of each in
 * turn.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      sockets: { type: 'string', default: '1000' },
      changes: { type: 'string', default: '50' },
      runs: { type: 'string', default: '3' },
    },
  });
  const deployment = await deploy();
  const other = await deployment.startInstance();
  const instances = [deployment.service, other];
  try {
    await toggle(deployment, deployment.service.url, false);
    const path = `/v1/flags/socket?api_key=${PROJECT_KEY}`;
    const sockets = await openSockets({
      ports: instances.map(({ port }) => port),
      path,
      count: Number(values.sockets),
    });
    const plan = {
      deployment,
      instances,
      sockets,
      changes: Number(values.changes),
      runs: Number(values.runs),
    };
    const rows = [...(await measure(plan, 0)), ...(await measure(plan, 10))];
    const columns = ['two instances', 'clients', 'reached', 'p50 ms', 'p99 ms', 'max ms', 'within 1 s'];
    printTable(
      columns,
      rows.map(([name, ...row]) => [name ?? '', values.sockets, ...row]),
    );
    sockets.stop();
  } finally {
    await deployment.stop();
  }
}

interface Plan {
  deployment: Deployment;
  instances: Program[];
  sockets: Sockets;
  changes: number;
  runs: number;
}

/** Returns the medians of the runs, while `connections` connections to each instance request evaluations. */
async function measure(plan: Plan, connections: number): Promise<string[][]> {
  const runs: Times[] = [];
  for (let count = 0; count < plan.runs; count++) {
    const done = new AbortController();
    const load = connections > 0 ? evaluateMeanwhile(plan.instances, connections, done.signal) : undefined;
    if (load) await sleep(1000);
    runs.push(await changeOften(plan));
    done.abort();
    await load;
  }
  const name = connections > 0 ? `each evaluates on ${connections} connections` : 'no other load';
  const row = (what: string, timesOf: (run: Times) => number[]) => {
    const times = timesOf(medianRun(runs, (run) => at(timesOf(run), 0.99)));
    const within = times.filter((time) => time <= 1000).length / times.length;
    const figures = [at(times, 0.5), at(times, 0.99), at(times, 1)].map((figure) => decimals(figure));
    return [name, what, ...figures, `${decimals(within * 100, 2)} %`];
  };
  return [
    row('each client', ({ notified }) => notified),
    row('each evaluation', ({ evaluated }) => evaluated),
  ];
}

function at(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

async function changeOften({ deployment, instances, sockets, changes }: Plan): Promise<Times> {
  const times: Times = { notified: [], evaluated: [] };
  for (let change = 0; change < changes; change++) {
    const isOn = change % 2 === 0;
    const began = performance.timeOrigin + performance.now();
    const evaluated = instances.map(({ url }) => untilEvaluated(url, isOn));
    const [notified, ...rest] = await Promise.all([
      sockets.notified(10_000),
      ...evaluated,
      toggle(deployment, instances[change % instances.length]?.url ?? '', isOn),
    ]);
    for (const time of notified.times) times.notified.push(time - began);
    for (const time of rest) if (time !== undefined) times.evaluated.push(time - began);
    await sleep(BETWEEN_MS);
  }
  return times;
}

async function toggle({ put }: Deployment, url: string, enabled: boolean): Promise<undefined> {
  await put(url, `flags/${KILL_SWITCH}`, { enabled, rolloutPercentage: 100 });
}

/** Evaluates until the result is the new one, and returns the time of that. */
async function untilEvaluated(url: string, isOn: boolean): Promise<number> {
  for (;;) {
    const response = await fetch(`${url}/v1/flags?distinct_id=nobody`, {
      headers: AUTHORIZED,
    });
    const { flags } = (await response.json()) as { flags: Record<string, unknown> };
    if (flags[KILL_SWITCH] === isOn) return performance.timeOrigin + performance.now();
    await sleep(2);
  }
}

async function evaluateMeanwhile(
  instances: Program[],
  connections: number,
  until: AbortSignal,
): Promise<void> {
  const requests = Array.from({ length: 100 }, (_, person) => ({
    path: `/v1/flags?distinct_id=person-${person}`,
  }));
  while (!until.aborted) {
    await Promise.all(
      instances.map(({ port }) =>
        applyLoad({ port, requests, headers: AUTHORIZED, connections, seconds: 3 }),
      ),
    );
  }
}
