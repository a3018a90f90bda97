import { parseArgs } from 'node:util';
import { processUsage } from '@switchboard/testkit';
import { HISTORY_OPTIONS, keepHistory, type Ratio } from '../lib/history.ts';
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
  /** The longest block of the event loop, in milliseconds. */
  blockMs: number;
}

/** Compares reads with prepared bytes. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '3' },
      runs: { type: 'string', default: '3' },
      /** Any of threads, shared, conversation, configuration, lists. */
      only: { type: 'string', default: Object.keys(SCENARIOS).join() },
      profile: { type: 'string' },
      ...HISTORY_OPTIONS,
    },
  });
  const seconds = Number(values.seconds);
  const deployment = await deploy(REPORTS, values.profile);
  try {
    const measured = [];
    for (const name of values.only.split(',')) {
      for (const scenario of (await SCENARIOS[name]?.(deployment)) ?? []) {
        measured.push(await measureBeside(deployment, scenario, { seconds, runs: Number(values.runs) }));
      }
    }
    printTable(COLUMNS, measured.map(toRow));
    await keepHistory('reads', measured.flatMap(toRatios), values);
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

/** The median runs of the service and the floor. */
interface Measured {
  scenario: Scenario;
  ours: Run;
  floors: Run;
}

/** Measures service and floor in turn, so that other load on the machine affects both. */
async function measureBeside(
  deployment: Deployment,
  scenario: Scenario,
  { seconds, runs }: { seconds: number; runs: number },
): Promise<Measured> {
  const { name, bytes, program } = scenario;
  const floor = { ...scenario, program: deployment.floor, requests: [{ path: `/${bytes}` }] };
  const found: { ours: Run; floors: Run }[] = [];
  for (const warm of [scenario, floor]) await measure(deployment, warm, 1);
  for (let turn = 0; turn < runs; turn++) {
    const ours = await measure(deployment, scenario, seconds);
    found.push({ ours, floors: await measure(deployment, floor, seconds) });
  }
  if (!program.isRunning) throw new Error(`${name}: the service ended`);
  const byRate = ({ perSecond }: Run) => perSecond;
  return {
    scenario,
    ours: medianRun(
      found.map((turn) => turn.ours),
      byRate,
    ),
    floors: medianRun(
      found.map((turn) => turn.floors),
      byRate,
    ),
  };
}

function toRow({ scenario: { name, bytes, isNotModified }, ours, floors }: Measured): string[] {
  const beside = (write: (one: Run) => string) => `${write(ours)} (${write(floors)})`;
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

function toRatios({ scenario: { name: scenario }, ours, floors }: Measured): Ratio[] {
  return [
    {
      ...{ scenario, ratio: 'requests/s of floor', better: 'higher' },
      value: ours.perSecond / floors.perSecond,
    },
    { ...{ scenario, ratio: 'CPU of floor', better: 'lower' }, value: ours.cpuMicros / floors.cpuMicros },
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
