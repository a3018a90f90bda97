import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ingestionTopics } from '@switchboard/contracts';
import { type Program, processUsage, spawnProgram } from '@switchboard/testkit';
import { applyLoad, countOf, type LoadResult } from '../lib/load.ts';
import { median, medianRun } from '../lib/median.ts';
import { profileFlags } from '../lib/rig.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { AUTHORIZED, type Deployment, deploy } from './deployment.ts';
import { runProjects } from './projects.ts';
import { traitsOf } from './ruleset.ts';

const USERS = 10_000;
const CONNECTIONS = 20;

const COLUMNS = [
  'scenario',
  'requests/s',
  'p50 ms',
  'p99 ms',
  'max ms',
  'not 2xx or 304',
  'CPU us/request',
  'peak RSS MB',
];

interface Target {
  name: string;
  server: Program;
  paths: string[];
  headers?: Record<string, string>;
}

interface Run {
  result: LoadResult;
  perSecond: number;
  cpuMicros: number;
  peakMb: number;
}

/** Measures the flags service beside bare Node and bare Hono: see docs/benchmarks.md. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '6' },
      runs: { type: 'string', default: '3' },
      only: { type: 'string', default: '' },
      profile: { type: 'string' },
      projects: { type: 'string' },
      memory: { type: 'string', default: '512' },
    },
  });
  if (values.projects !== undefined) {
    const { projects, seconds, memory, profile } = values;
    const flags = profileFlags(profile);
    return runProjects({
      projects: Number(projects),
      seconds: Number(seconds),
      memoryMib: Number(memory),
      flags,
    });
  }
  const deployment = await deploy(profileFlags(values.profile));
  const floors: Program[] = [];
  try {
    await fillUserState(deployment);
    await measureIdentify(deployment);
    const snapshot = await fetch(`${deployment.service.url}/v1/flags/snapshot`, { headers: AUTHORIZED });
    const bytes = (await snapshot.arrayBuffer()).byteLength;
    const etag = snapshot.headers.get('etag') ?? '';
    const stringify = await startFloor({ FLOOR: 'stringify' });
    const hono = await startFloor({ FLOOR: 'hono', FLOOR_BYTES: String(bytes) });
    floors.push(stringify, hono);
    const targets = evaluationTargets(deployment.service, stringify).concat(
      snapshotTargets(deployment.service, hono, etag),
    );
    const selected = targets.filter(({ name }) => name.includes(values.only));
    printTable(COLUMNS, await measureAll(selected, Number(values.seconds), Number(values.runs)));
  } finally {
    await Promise.all(floors.map((floor) => floor.stop()));
    await deployment.stop();
  }
}

function evaluationTargets(service: Program, floor: Program): Target[] {
  const paths = Array.from(
    { length: USERS },
    (_, user) => `/v1/flags?distinct_id=user-${(user * 7919) % USERS}`,
  );
  return [
    { name: 'evaluate 100 flags', server: service, paths, headers: AUTHORIZED },
    { name: 'floor: Node, JSON.stringify', server: floor, paths },
  ];
}

function snapshotTargets(service: Program, floor: Program, etag: string): Target[] {
  const snapshot = { server: service, paths: ['/v1/flags/snapshot'] };
  return [
    { ...snapshot, name: 'snapshot 304', headers: { ...AUTHORIZED, 'If-None-Match': etag } },
    { name: 'floor: Hono, c.body(null, 304)', server: floor, paths: ['/304'] },
    { ...snapshot, name: 'snapshot 200', headers: AUTHORIZED },
    { ...snapshot, name: 'snapshot 200, br', headers: { ...AUTHORIZED, 'Accept-Encoding': 'br' } },
    { name: 'floor: Hono, ready bytes', server: floor, paths: ['/200'] },
  ];
}

/** Targets take turns, so that other work on the machine affects all of them. Shows the median run of each. */
async function measureAll(targets: Target[], seconds: number, runs: number): Promise<string[][]> {
  for (const target of targets) await measure(target, 2);
  const results = new Map<Target, Run[]>(targets.map((target) => [target, []]));
  for (let turn = 0; turn < runs; turn++) {
    for (const target of targets) results.get(target)?.push(await measure(target, seconds));
  }
  return [...results].map(([{ name }, all]) => {
    const { result, perSecond, cpuMicros, peakMb } = medianRun(all, (one) => one.perSecond);
    const { p50, p99, max } = result.latency;
    return [
      name,
      thousands(perSecond),
      decimals(p50, 2),
      decimals(p99, 2),
      decimals(max),
      thousands(failures(result)),
      decimals(cpuMicros),
      decimals(peakMb, 0),
    ];
  });
}

async function measure({ server, paths, headers = {} }: Target, seconds: number): Promise<Run> {
  const usage = processUsage(server.pid);
  await usage.resetPeak();
  const cpuBefore = await usage.cpuSeconds();
  const result = await applyLoad({
    port: server.port,
    requests: paths.map((path) => ({ path })),
    headers,
    connections: CONNECTIONS,
    seconds,
  });
  const cpu = (await usage.cpuSeconds()) - cpuBefore;
  const requests = countOf(result);
  return {
    result,
    perSecond: requests / result.seconds,
    cpuMicros: (cpu * 1e6) / requests,
    peakMb: await usage.peakMb(),
  };
}

function failures(result: LoadResult): number {
  return countOf(result, (status) => status < 200 || status >= 400);
}

function startFloor(env: Record<string, string>): Promise<Program> {
  return spawnProgram({
    command: ['node', join(import.meta.dirname, 'floor.ts')],
    env: { NODE_ENV: 'production', ...env },
    ready: '/',
    output: 'inherit',
  });
}

/** Publishes traits and a company of every user, and prints how fast the service applies them. */
async function fillUserState(deployment: Deployment): Promise<void> {
  const users = Array.from({ length: USERS }, (_, user) => user);
  const identifies = users.map((user) => ({ distinct_id: `user-${user}`, traits: traitsOf(user) }));
  const groups = users.map((user) => ({
    distinct_id: `user-${user}`,
    group_type: 'company',
    group_id: `company-${user % 500}`,
    traits: { seats: user % 50 },
  }));
  const beganAt = performance.now();
  await Promise.all([
    deployment.publish(ingestionTopics.identifies, identifies),
    deployment.publish(ingestionTopics.groups, groups),
  ]);
  const publishedAt = performance.now();
  const { identifies: identifyTopic, groups: groupTopic } = ingestionTopics;
  for (;;) {
    const lag = await deployment.log.lag('flags.user-state', [identifyTopic, groupTopic]);
    if (lag.every(({ behind }) => behind === 0n)) break;
    await sleep(20);
  }
  const seconds = (performance.now() - beganAt) / 1000;
  console.log(
    `user state: ${thousands((2 * USERS) / seconds)} records/s from the first publish to the last one applied ` +
      `(published after ${decimals(publishedAt - beganAt, 0)} ms)`,
  );
}

/** Measures from the log's acknowledgement of an identify, when ingestion answers 202, to an evaluation that sees it. */
async function measureIdentify({ publish, service }: Deployment): Promise<void> {
  const url = `${service.url}/v1/flags/memberships?distinct_id=`;
  const waits: number[] = [];
  for (let turn = 0; turn < 50; turn++) {
    const distinct_id = `fresh-${turn}`;
    await publish(ingestionTopics.identifies, [{ distinct_id, traits: { betaTester: true } }]);
    const acknowledgedAt = performance.now();
    for (;;) {
      const response = await fetch(`${url}${distinct_id}`, { headers: AUTHORIZED });
      if ((await response.text()).includes('beta')) break;
    }
    waits.push(performance.now() - acknowledgedAt);
  }
  const sorted = waits.toSorted((a, b) => a - b);
  console.log(
    `identify to evaluation: median ${decimals(median(waits))} ms, highest ${decimals(sorted.at(-1) ?? 0)} ms of ${waits.length}`,
  );
}
