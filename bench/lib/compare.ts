import { type Program, processUsage } from '@switchboard/testkit';
import type { Ratio } from './history.ts';
import { applyLoad, countOf, type LoadRequest, type LoadResult } from './load/load.ts';
import { medianRun } from './statistics.ts';
import { decimals, printTable, thousands } from './table.ts';

/** Repeated requests to a server, and the servers that it is compared with. */
export interface Target {
  name: string;
  server: Program;
  /** The requests, sent in turn. */
  requests: LoadRequest[];
  headers?: Record<string, string>;
  /** Default: 20. */
  connections?: number;
  /** The minimum number of requests before the first measurement. Default: 1. */
  warmUp?: number;
  /** The numbers that requests use up. */
  numbers?: Numbers;
  floor?: Target;
  peer?: Target | undefined;
}

/** Numbers of which each is used in one request only, such as those of people who are requested once. */
export interface Numbers {
  /** The text in a request that the number replaces. */
  placeholder: string;
  next: number;
  count: number;
}

/** The figures of a measurement. */
export interface Run {
  result: LoadResult;
  perSecond: number;
  cpuMicros: number;
  peakMb: number;
  /** The longest block of the event loop, in milliseconds. */
  blockMs: number | undefined;
}

export interface MeasureOptions {
  seconds: number;
  /** Prepares each measurement, for example resets rate limits. */
  prepare?(): Promise<void>;
  /** Returns the longest block of a program's event loop since the last call, in milliseconds. */
  longestBlockMs?(server: Program): Promise<number>;
}

/**
 * Measures targets with their floors and peers in turn, so that other load on the machine affects all. Returns the
 * median run of each.
 */
export async function compare(
  targets: readonly Target[],
  { runs, ...options }: MeasureOptions & { runs: number },
): Promise<Map<Target, Run>> {
  const compared = new Set(
    targets.flatMap((one) => [one, one.peer, one.floor].filter((each) => each !== undefined)),
  );
  for (const target of compared) await warmUp(target, options);
  const results = new Map<Target, Run[]>([...compared].map((target) => [target, []]));
  for (let turn = 0; turn < runs; turn++) {
    for (const target of compared) results.get(target)?.push(await measure(target, options));
  }
  return new Map([...results].map(([target, all]) => [target, medianRun(all, (one) => one.perSecond)]));
}

const WARM_UP_SECONDS = 2;

async function warmUp(target: Target, options: MeasureOptions): Promise<void> {
  const { requests, warmUp: enough = 1 } = target;
  for (let sent = 0; sent < enough; ) {
    const from = sent % requests.length;
    const rotated = [...requests.slice(from), ...requests.slice(0, from)];
    const run = await measure({ ...target, requests: rotated }, { ...options, seconds: WARM_UP_SECONDS });
    sent += countOf(run.result);
  }
}

/** Measures a target once. */
export async function measure(
  { name, server, requests, headers = {}, connections = 20, numbers }: Target,
  { seconds, prepare, longestBlockMs }: MeasureOptions,
): Promise<Run> {
  await prepare?.();
  const usage = processUsage(server.pid);
  await usage.resetPeak();
  await longestBlockMs?.(server);
  const before = await usage.cpuSeconds();
  const result = await applyLoad({
    port: server.port,
    requests,
    headers,
    connections,
    seconds,
    ...(numbers && { placeholder: numbers.placeholder, firstNumber: numbers.next }),
  });
  if (!server.isRunning) throw new Error(`${name}: the process ended`);
  const cpu = (await usage.cpuSeconds()) - before;
  const count = countOf(result);
  if (numbers !== undefined) {
    numbers.next += count;
    if (numbers.next > numbers.count)
      throw new Error(
        `${name}: all ${thousands(numbers.count)} numbers are used. Lower --runs or --seconds.`,
      );
  }
  return {
    result,
    perSecond: count / result.seconds,
    cpuMicros: (cpu * 1e6) / count,
    peakMb: await usage.peakMb(),
    blockMs: await longestBlockMs?.(server),
  };
}

/** Prints the runs as a table. */
export function printRuns(runs: ReadonlyMap<Target, Run>): void {
  printTable(
    [
      'scenario',
      'requests/s',
      'of floor',
      'p50 ms',
      'p99 ms',
      'max ms',
      'not 2xx or 304',
      'CPU us/request',
      'longest block ms',
      'peak RSS MB',
    ],
    [...runs].map(([target, run]) => {
      const floor = target.floor && runs.get(target.floor);
      const { p50, p99, max } = run.result.latency;
      return [
        target.name,
        thousands(run.perSecond),
        floor === undefined ? '' : decimals(run.perSecond / floor.perSecond, 2),
        decimals(p50, 2),
        decimals(p99, 2),
        decimals(max),
        thousands(countOf(run.result, (status) => status < 200 || status >= 400)),
        decimals(run.cpuMicros),
        run.blockMs === undefined ? '' : decimals(run.blockMs),
        decimals(run.peakMb, 0),
      ];
    }),
  );
}

/** Returns the ratios of targets to their floors and peers. */
export function ratiosOf(runs: ReadonlyMap<Target, Run>): Ratio[] {
  return [...runs].flatMap(([target, run]) =>
    (['floor', 'peer'] as const).flatMap((kind): Ratio[] => {
      const compared = target[kind];
      const other = compared && runs.get(compared);
      if (other === undefined) return [];
      const { name: scenario } = target;
      const rate = run.perSecond / other.perSecond;
      return [
        { scenario, ratio: `requests/s of ${kind}`, value: rate, better: 'higher' },
        { scenario, ratio: `CPU of ${kind}`, value: run.cpuMicros / other.cpuMicros, better: 'lower' },
      ];
    }),
  );
}
