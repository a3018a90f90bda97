import { parseArgs } from 'node:util';
import { processUsage } from '@switchboard/testkit';
import { applyLoad, countOf, type LoadResult } from '../lib/load.ts';
import { medianRun } from '../lib/median.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { type Deployment, deploy } from './deployment.ts';
import { REPORTS, SCENARIOS, type Scenario } from './scenarios.ts';

interface Run {
  result: LoadResult;
  perSecond: number;
  cpuMicros: number;
  peakMb: number;
  /** The longest block of the event loop. */
  blockMs: number;
}

/** Measures what people read, beside ready bytes: see docs/benchmarks.md. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '3' },
      runs: { type: 'string', default: '3' },
      /** Some of threads, shared, conversation, configuration, lists. */
      only: { type: 'string', default: Object.keys(SCENARIOS).join() },
      profile: { type: 'string' },
    },
  });
  const seconds = Number(values.seconds);
  const deployment = await deploy(REPORTS, values.profile);
  try {
    const rows = [];
    for (const name of values.only.split(',')) {
      for (const scenario of (await SCENARIOS[name]?.(deployment)) ?? []) {
        rows.push(await measureBeside(deployment, scenario, { seconds, runs: Number(values.runs) }));
      }
    }
    printTable(COLUMNS, rows);
  } finally {
    await deployment.stop();
  }
}

const COLUMNS = [
  'read (floor in brackets)',
  'kB',
  'requests/s',
  'of floor',
  'p50 ms',
  'p99 ms',
  'CPU us/request',
  'longest block ms',
  'peak RSS MB',
  'not 2xx or 304',
];

/** Service and floor take turns, so that other work on the machine affects both. Shows the median run of each. */
async function measureBeside(
  deployment: Deployment,
  scenario: Scenario,
  { seconds, runs }: { seconds: number; runs: number },
): Promise<string[]> {
  const { name, bytes, isNotModified, program } = scenario;
  const floor = { ...scenario, program: deployment.floor, requests: [{ path: `/${bytes}` }] };
  const found: { ours: Run; floors: Run }[] = [];
  for (const warm of [scenario, floor]) await measure(deployment, warm, 1);
  for (let turn = 0; turn < runs; turn++) {
    const ours = await measure(deployment, scenario, seconds);
    found.push({ ours, floors: await measure(deployment, floor, seconds) });
  }
  const ours = medianRun(
    found.map((turn) => turn.ours),
    (one) => one.perSecond,
  );
  const floors = medianRun(
    found.map((turn) => turn.floors),
    (one) => one.perSecond,
  );
  const beside = (write: (one: Run) => string) => `${write(ours)} (${write(floors)})`;
  if (!program.isRunning) throw new Error(`${name}: the service ended`);
  return [
    name,
    isNotModified ? '0' : decimals(bytes / 1000),
    beside(({ perSecond }) => thousands(perSecond)),
    `${decimals((100 * ours.perSecond) / floors.perSecond, 0)}%`,
    beside(({ result }) => decimals(result.latency.p50)),
    beside(({ result }) => decimals(result.latency.p99)),
    beside(({ cpuMicros }) => thousands(cpuMicros)),
    beside(({ blockMs }) => decimals(blockMs)),
    decimals(ours.peakMb, 0),
    thousands(countOf(ours.result, (status) => status < 200 || status >= 400)),
  ];
}

async function measure(deployment: Deployment, scenario: Scenario, seconds: number): Promise<Run> {
  const { program, requests, headers, connections } = scenario;
  await deployment.resetLimits();
  const usage = processUsage(program.pid);
  await usage.resetPeak();
  await deployment.longestDelayMs(program);
  const before = await usage.cpuSeconds();
  const result = await applyLoad({ port: program.port, requests, headers, connections, seconds });
  const cpu = (await usage.cpuSeconds()) - before;
  const count = countOf(result);
  return {
    result,
    perSecond: count / result.seconds,
    cpuMicros: (cpu * 1e6) / count,
    peakMb: await usage.peakMb(),
    blockMs: await deployment.longestDelayMs(program),
  };
}
