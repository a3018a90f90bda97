import { parseArgs } from 'node:util';
import { OPTIONS, selected } from '../lib/options.ts';
import { quantile } from '../lib/statistics.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { measureFlagChanges } from './flag-changes.ts';
import { measureFunnel } from './funnel.ts';
import { measureIdentify } from './identify.ts';
import { measureInsights } from './insights.ts';
import { LOGS } from './instances.ts';
import type { Latencies } from './latencies.ts';

/** Measures how long a change takes to reach those who read it. Exits with code 1 if one did not take effect. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      only: OPTIONS.only,
      /** The number of changes. */
      times: { type: 'string', default: '200' },
      /** The number of clients that a flag change must reach. */
      sockets: { type: 'string', default: '1000' },
    },
  });
  const times = Number(values.times);
  const scenarios: [string, () => Promise<Latencies[]>][] = [
    ['flag change', () => measureFlagChanges(times, Number(values.sockets))],
    ...LOGS.map((log): [string, () => Promise<Latencies[]>] => [
      `identify on ${log}`,
      () => measureIdentify(log, times),
    ]),
    ...LOGS.map((log): [string, () => Promise<Latencies[]>] => [
      `join on ${log}`,
      () => measureIdentify(log, times, true),
    ]),
    ['event to trends query', () => measureInsights(times)],
    ['join to funnel', () => measureFunnel(times)],
  ];
  const all: Latencies[] = [];
  for (const [, measure] of selected(scenarios, values.only, ([name]) => name))
    all.push(...(await measure()));
  printTable(
    ['scenario', 'measured', 'missed', 'p50 ms', 'p99 ms', 'max ms'],
    all.map(({ name, ms, missed = 0 }) => [
      name,
      thousands(ms.length),
      String(missed),
      ...[0.5, 0.99, 1].map((share) => decimals(quantile(ms, share))),
    ]),
  );
  if (all.some(({ missed = 0 }) => missed > 0)) process.exitCode = 1;
}
