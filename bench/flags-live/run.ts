import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { applyGets } from '../flags/get-load.ts';
import { authorized, PROJECT_KEY, type Setting, setUp } from '../flags/setting.ts';
import { medianRun } from '../lib/median.ts';
import { decimals, printTable } from '../lib/table.ts';
import { openSockets, type Sockets } from './sockets.ts';

const KILL_SWITCH = 'kill-switch';
/** Longer than the pause that the service makes between two messages to a client. */
const BETWEEN_MS = 150;

/** From the request that toggles a kill switch, in milliseconds. */
interface Times {
  /** Until a client was told, of every client and change. */
  told: number[];
  /** Until an instance first evaluated with it, of every instance and change. */
  evaluated: number[];
}

/**
 * How long a kill switch takes to reach connected clients and the evaluation of every instance: two instances as
 * processes, the sockets split over them, the switch toggled through the management API of one and the other.
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
  const setting = await setUp(['--max-semi-space-size=16']);
  const other = await setting.startInstance();
  const ports = [setting.service.port, other.port];
  try {
    await toggle(setting, ports[0] ?? 0, false);
    const path = `/v1/flags/socket?api_key=${PROJECT_KEY}`;
    const sockets = await openSockets({ ports, path, count: Number(values.sockets) });
    const plan = { setting, ports, sockets, changes: Number(values.changes), runs: Number(values.runs) };
    const rows = [...(await measure(plan, 0)), ...(await measure(plan, 10))];
    const columns = ['two instances', 'clients', 'reached', 'p50 ms', 'p99 ms', 'max ms', 'within 1 s'];
    printTable(
      columns,
      rows.map(([name, ...row]) => [name ?? '', values.sockets, ...row]),
    );
    sockets.stop();
  } finally {
    await other.stop();
    await setting.stop();
  }
}

interface Plan {
  setting: Setting;
  ports: number[];
  sockets: Sockets;
  changes: number;
  runs: number;
}

/** Medians of the runs, while each instance is asked for evaluations on so many connections. */
async function measure(plan: Plan, connections: number): Promise<string[][]> {
  const runs: Times[] = [];
  for (let count = 0; count < plan.runs; count++) {
    const done = new AbortController();
    const load = connections > 0 ? evaluateMeanwhile(plan.ports, connections, done.signal) : undefined;
    if (load) await sleep(1000);
    runs.push(await changeOften(plan));
    done.abort();
    await load;
  }
  const name = connections > 0 ? `each evaluates on ${connections} connections` : 'nothing else going on';
  const row = (what: string, timesOf: (run: Times) => number[]) => {
    const times = timesOf(medianRun(runs, (run) => at(timesOf(run), 0.99)));
    const within = times.filter((time) => time <= 1000).length / times.length;
    const figures = [at(times, 0.5), at(times, 0.99), at(times, 1)].map((figure) => decimals(figure));
    return [name, what, ...figures, `${decimals(within * 100, 2)} %`];
  };
  return [row('each client', ({ told }) => told), row('each evaluation', ({ evaluated }) => evaluated)];
}

function at(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}

async function changeOften({ setting, ports, sockets, changes }: Plan): Promise<Times> {
  const times: Times = { told: [], evaluated: [] };
  for (let change = 0; change < changes; change++) {
    const isOn = change % 2 === 0;
    const began = performance.timeOrigin + performance.now();
    const evaluated = ports.map((port) => untilEvaluated(port, isOn));
    const [told, ...rest] = await Promise.all([
      sockets.told(10_000),
      ...evaluated,
      toggle(setting, ports[change % ports.length] ?? 0, isOn),
    ]);
    for (const time of told.times) times.told.push(time - began);
    for (const time of rest) if (time !== undefined) times.evaluated.push(time - began);
    await sleep(BETWEEN_MS);
  }
  return times;
}

async function toggle({ put }: Setting, port: number, enabled: boolean): Promise<undefined> {
  await put(port, `flags/${KILL_SWITCH}`, { enabled, rolloutPercentage: 100 });
}

/** Asks again and again; answers when the answer was the new one. */
async function untilEvaluated(port: number, isOn: boolean): Promise<number> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/v1/flags?distinct_id=nobody`, {
      headers: authorized,
    });
    const { flags } = (await response.json()) as { flags: Record<string, unknown> };
    if (flags[KILL_SWITCH] === isOn) return performance.timeOrigin + performance.now();
    await sleep(2);
  }
}

async function evaluateMeanwhile(ports: number[], connections: number, until: AbortSignal): Promise<void> {
  const paths = Array.from({ length: 100 }, (_, person) => `/v1/flags?distinct_id=person-${person}`);
  while (!until.aborted) {
    await Promise.all(
      ports.map((port) => applyGets({ port, paths, headers: authorized, connections, seconds: 3 })),
    );
  }
}
