import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { OPTIONS, selected } from '../lib/options.ts';
import { quantile } from '../lib/statistics.ts';
import { decimals, printTable } from '../lib/table.ts';
import { type Answers, attack } from './attack.ts';
import { ATTACKS } from './attacks.ts';
import { type Deployment, deploy, type RunningPod, type Usage } from './deployment.ts';
import { syncTimes } from './disk.ts';
import { isSuccess, type Kind, type Observed, startTenant, type Tenant } from './tenant.ts';

/** The maximum ratio of the tenant's latency under attack to its latency without one. */
const MAX_SLOWDOWN = 3;
/** Below this, a slowdown is noise of a machine that attackers, services and backings share. */
const MIN_P99_MS = 50;
const MB_PER_MIB = 1.048576;
const REST_MS = 3_000;
const WARM_UP_SECONDS = 15;
/** The tenant's CPU shares, as a multiple of a service's. */
const TENANT_SHARES = 100;

interface Verdict {
  name: string;
  requests: number;
  failed: number;
  /** The kind of request that slowed down most. Times are 99th percentiles in milliseconds. */
  kind: Kind | undefined;
  quietMs: number;
  attackedMs: number;
  /** The pod closest to its memory limit, and its resident memory in megabytes. */
  memory: { name: string; mb: number };
  /** The attacker's requests per second, and how many of them got a 2xx. */
  attacker: { sent: number; accepted: number };
  /** The share of the machine's CPU time that was used. */
  busy: number;
  problems: string[];
}

/** Runs each attack beside a well-behaved tenant. */
export async function run(args: string[]): Promise<void> {
  const { only, profile } = OPTIONS;
  const { values } = parseArgs({
    args,
    options: { only, profile, seconds: { type: 'string', default: '60' } },
  });
  const seconds = Number(values.seconds);
  const attacks = selected(Object.entries(ATTACKS), values.only, ([name]) => name);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const deployment = await deploy(values.profile);
  const tenant = startTenant(deployment);
  try {
    if (tenant.pid !== undefined) await deployment.groups?.put(tenant.pid, 'tenant', TENANT_SHARES);
    const { isAhead } = await tenant.behave(WARM_UP_SECONDS);
    if (deployment.groups === undefined) {
      console.log(
        'Not permitted to divide the cores by service: services with many threads delay the others.',
      );
    }
    if (!isAhead) {
      console.log(
        'Not permitted to raise the priority of the tenant: its times include its own wait for a core.',
      );
    }
    await deployment.consumersIdle();
    const [{ observed: quiet }, syncs] = await Promise.all([
      tenant.behave(seconds),
      syncTimes(AbortSignal.timeout(seconds * 1000)),
    ]);
    console.log(`quiet: a sync of the disk takes ${decimals(p99(syncs))} ms (p99)`);
    const failed = quiet.filter((one) => !isSuccess(one));
    if (failed.length > 0)
      throw new Error(`requests failed without an attack: ${JSON.stringify(failed.slice(0, 5))}`);
    const verdicts: Verdict[] = [];
    for (const [name, { summary }] of attacks) {
      console.log(`${name}: ${summary}`);
      const verdict = await withstand({ deployment, tenant, name, seconds, quiet });
      verdicts.push(verdict);
      for (const problem of verdict.problems) console.log(`  ${problem}`);
      // An attack's backlog on the event log must not affect the next attack.
      await deployment.consumersIdle();
      await sleep(REST_MS);
    }
    print(verdicts);
    const problems = verdicts.filter((verdict) => verdict.problems.length > 0).length;
    if (problems > 0) throw new Error(`${problems} attacks exceeded a bound.`);
  } finally {
    tenant.stop();
    await deployment.stop();
  }
}

interface Ordeal {
  deployment: Deployment;
  tenant: Tenant;
  name: string;
  seconds: number;
  quiet: readonly Observed[];
}

async function withstand({ deployment, tenant, name, seconds, quiet }: Ordeal): Promise<Verdict> {
  await deployment.usage();
  const cpuBefore = cpuTimes();
  const [{ observed }, answers, syncs] = await Promise.all([
    tenant.behave(seconds),
    attack({ attack: name, ports: deployment.ports, seconds }, deployment.groups),
    syncTimes(AbortSignal.timeout(seconds * 1000)),
  ]);
  const cpuAfter = cpuTimes();
  const usage = await deployment.usage().catch(() => []);
  tell(answers, usage, seconds);
  console.log(`  a sync of the disk takes ${decimals(p99(syncs))} ms (p99)`);
  const failed = observed.filter((one) => !isSuccess(one));
  const kinds = slowdowns(quiet, observed);
  console.log(`  ${describeTimes(kinds)}`);
  const slowest = kinds.reduce((worst, one) => (one.times > worst.times ? one : worst));
  const memory = usage
    .map(({ pod, usage: { peakMb } }) => ({
      name: pod.name,
      mb: peakMb,
      limitMb: pod.memoryMib * MB_PER_MIB,
    }))
    .toSorted((a, b) => b.mb / b.limitMb - a.mb / a.limitMb);
  // A neighbour shows what the machine does to the tenant without an attack.
  const maxSlowdown = ATTACKS[name]?.cpus === undefined ? MAX_SLOWDOWN : Number.POSITIVE_INFINITY;
  const ended = deployment.pods.filter(({ program }) => !program.isRunning);
  return {
    name,
    requests: observed.length,
    failed: failed.length,
    kind: slowest.kind,
    quietMs: slowest.quietMs,
    attackedMs: slowest.attackedMs,
    memory: memory[0] ?? { name: 'none', mb: 0 },
    attacker: perSecond(answers, seconds),
    busy: (cpuAfter.used - cpuBefore.used) / (cpuAfter.all - cpuBefore.all),
    problems: [
      // The attacker only gets idle CPU time, and a busy machine has none.
      ...(Object.keys(answers).length === 0 ? ['the attacker sent nothing'] : []),
      ...(failed.length > 0 ? [`${failed.length} requests failed: ${describe(failed)}`] : []),
      ...kinds
        .filter(({ times, attackedMs }) => times > maxSlowdown && attackedMs > MIN_P99_MS)
        .map(({ kind, times }) => `${kind} took ${decimals(times)} times as long`),
      ...memory
        .filter(({ mb, limitMb }) => mb > limitMb)
        .map(({ name: pod, mb, limitMb }) => `${pod} used ${Math.round(mb)} MB of ${Math.round(limitMb)}`),
      ...ended.map((pod) => `${pod.name} ended`),
    ],
  };
}

/** Returns the figures that distinguish a machine without a free core from an unfair service. */
function tell(answers: Answers, usages: readonly { pod: RunningPod; usage: Usage }[], seconds: number): void {
  const each = Object.entries(answers).map(([answer, times]) => `${answer}: ${times}`);
  console.log(`  attacker: ${each.join(', ') || 'nothing'}`);
  const used = usages.map(
    ({ pod, usage: { cpuSeconds, waitedSeconds, blockedMs, peakMb } }) =>
      `${pod.name} ${percent(cpuSeconds / seconds)} (${percent(waitedSeconds / seconds)}, ${Math.round(blockedMs)} ms, ${Math.round(peakMb)} MB)`,
  );
  console.log(`  CPU (wait for a core, event loop blocked at most, memory): ${used.join(', ')}`);
}

const percent = (part: number) => `${Math.round(100 * part)}%`;

function perSecond(answers: Answers, seconds: number) {
  const all = Object.entries(answers);
  const sum = (some: typeof all) => some.reduce((total, [, times]) => total + times, 0) / seconds;
  return { sent: sum(all), accepted: sum(all.filter(([answer]) => answer.startsWith('2'))) };
}

/** Returns the CPU times of all cores in seconds. */
function cpuTimes() {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.flatMap((one) => Object.values(one)).reduce((sum, ms) => sum + ms, 0);
  const idle = times.reduce((sum, one) => sum + one.idle, 0);
  return { all, used: all - idle };
}

interface Slowdown {
  kind: Kind;
  /** 99th percentiles in milliseconds. */
  quietMs: number;
  attackedMs: number;
  times: number;
}

/** Describes all kinds: those that the attacked service does not serve show the machine's share of the slowdown. */
function describeTimes(kinds: readonly Slowdown[]): string {
  const each = kinds.map(
    ({ kind, quietMs, attackedMs }) => `${kind} ${decimals(attackedMs)} (${decimals(quietMs)})`,
  );
  return `p99 ms of the tenant's requests (quiet): ${each.join(', ')}`;
}

function slowdowns(quiet: readonly Observed[], observed: readonly Observed[]): Slowdown[] {
  const before = Map.groupBy(quiet, ({ kind }) => kind);
  const during = Map.groupBy(observed, ({ kind }) => kind);
  return [...before].map(([kind, requests]) => {
    const quietMs = p99(requests.map(({ ms }) => ms));
    const attackedMs = p99((during.get(kind) ?? []).map(({ ms }) => ms));
    return { kind, quietMs, attackedMs, times: attackedMs / quietMs };
  });
}

const p99 = (times: readonly number[]) => quantile(times, 0.99);

function describe(failed: readonly Observed[]): string {
  const counts = Map.groupBy(failed, ({ kind, status }) => `${kind} ${status}`);
  return [...counts].map(([what, some]) => `${some.length} ${what}`).join(', ');
}

function print(verdicts: readonly Verdict[]): void {
  printTable(
    [
      'attack',
      'requests',
      'failed',
      'slowest',
      'quiet p99 ms',
      'p99 ms',
      'attacker/s',
      '2xx/s',
      'CPU',
      'fullest pod',
      'MB',
    ],
    verdicts.map(({ name, requests, failed, kind = '', quietMs, attackedMs, memory, attacker, busy }) => [
      name,
      String(requests),
      String(failed),
      kind,
      decimals(quietMs),
      decimals(attackedMs),
      String(Math.round(attacker.sent)),
      String(Math.round(attacker.accepted)),
      percent(busy),
      memory.name,
      String(Math.round(memory.mb)),
    ]),
  );
}
