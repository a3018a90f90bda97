import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { decimals, printTable } from '../lib/table.ts';
import { attack } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { type Deployment, deploy } from './deployment.ts';
import { behave, isSuccess, type Kind, type Observed } from './tenant.ts';

/** What the tenant may wait, in times of what it waits when nobody attacks. */
const MAX_SLOWDOWN = 3;
/** Below it, a slowdown is the noise of a machine that attackers, services and backings share. */
const MIN_P99_MS = 50;
/** Resident memory of a process, in megabytes: the pod's 512 MiB. */
const MAX_RESIDENT_MB = 537;
const REST_MS = 3_000;

interface Verdict {
  name: string;
  requests: number;
  failed: number;
  /** 99th percentiles in milliseconds of the kind that slowed down most. */
  kind: Kind | undefined;
  quietMs: number;
  attackedMs: number;
  /** The process with most resident memory, in megabytes. */
  memory: { name: string; mb: number };
  problems: string[];
}

/** Runs each attack beside a tenant that behaves: see docs/security.md. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '60' },
      only: { type: 'string', default: '' },
    },
  });
  const seconds = Number(values.seconds);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const deployment = await deploy();
  try {
    await observe(deployment, 5);
    const quiet = await observe(deployment, Math.min(seconds, 20));
    const failed = quiet.filter((one) => !isSuccess(one));
    if (failed.length > 0) throw new Error(`without an attack: ${JSON.stringify(failed.slice(0, 5))}`);
    const verdicts: Verdict[] = [];
    for (const [name, { summary }] of Object.entries(ATTACKS)) {
      if (!name.includes(values.only)) continue;
      console.log(`${name}: ${summary}`);
      const verdict = await withstand(deployment, name, seconds, quiet);
      verdicts.push(verdict);
      for (const problem of verdict.problems) console.log(`  ${problem}`);
      await sleep(REST_MS);
    }
    print(verdicts);
    const problems = verdicts.filter((verdict) => verdict.problems.length > 0).length;
    if (problems > 0) throw new Error(`${problems} attacks did harm.`);
  } finally {
    await deployment.stop();
  }
}

async function observe({ urls }: Deployment, seconds: number): Promise<Observed[]> {
  return behave(urls, AbortSignal.timeout(seconds * 1000));
}

async function withstand(
  deployment: Deployment,
  name: string,
  seconds: number,
  quiet: readonly Observed[],
): Promise<Verdict> {
  await deployment.peaks();
  const [observed] = await Promise.all([
    observe(deployment, seconds),
    attack({ attack: name, ports: deployment.ports, seconds }),
  ]);
  const peaks = Object.entries(await deployment.peaks().catch(() => ({})));
  const failed = observed.filter((one) => !isSuccess(one));
  const slowest = slowdowns(quiet, observed).reduce((worst, one) => (one.times > worst.times ? one : worst));
  const [most = ['none', 0] as const] = peaks.toSorted(([, a], [, b]) => b - a);
  const ended = Object.entries(deployment.programs).filter(([, program]) => !program.isRunning);
  return {
    name,
    requests: observed.length,
    failed: failed.length,
    kind: slowest.kind,
    quietMs: slowest.quietMs,
    attackedMs: slowest.attackedMs,
    memory: { name: most[0], mb: most[1] },
    problems: [
      ...(failed.length > 0 ? [`${failed.length} requests failed: ${describe(failed)}`] : []),
      ...(slowest.times > MAX_SLOWDOWN && slowest.attackedMs > MIN_P99_MS
        ? [`${slowest.kind} took ${decimals(slowest.times)} times as long`]
        : []),
      ...(most[1] > MAX_RESIDENT_MB ? [`${most[0]} took ${Math.round(most[1])} MB`] : []),
      ...ended.map(([service]) => `${service} ended`),
    ],
  };
}

function slowdowns(quiet: readonly Observed[], observed: readonly Observed[]) {
  const before = Map.groupBy(quiet, ({ kind }) => kind);
  const during = Map.groupBy(observed, ({ kind }) => kind);
  return [...before].map(([kind, requests]) => {
    const quietMs = p99(requests);
    const attackedMs = p99(during.get(kind) ?? []);
    return { kind, quietMs, attackedMs, times: attackedMs / quietMs };
  });
}

function p99(requests: readonly Observed[]): number {
  const sorted = requests.map(({ ms }) => ms).toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;
}

function describe(failed: readonly Observed[]): string {
  const counts = Map.groupBy(failed, ({ kind, status }) => `${kind} ${status}`);
  return [...counts].map(([what, some]) => `${some.length} ${what}`).join(', ');
}

function print(verdicts: readonly Verdict[]): void {
  printTable(
    ['attack', 'requests', 'failed', 'slowest', 'quiet p99 ms', 'p99 ms', 'most memory', 'MB'],
    verdicts.map(({ name, requests, failed, kind = '', quietMs, attackedMs, memory }) => [
      name,
      String(requests),
      String(failed),
      kind,
      decimals(quietMs),
      decimals(attackedMs),
      memory.name,
      String(Math.round(memory.mb)),
    ]),
  );
}
