import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Program, processUsage, spawnProgram } from '@switchboard/testkit';
import { applyLoad, countOf, type LoadRequest, type LoadResult } from '../lib/load.ts';
import { medianRun } from '../lib/median.ts';
import { profileFlags } from '../lib/rig.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { AUTHORIZED, deploy } from './deployment.ts';
import { fillPeopleAskedOnce, fillUserState, measureIdentify, ONCE, ONCE_DIGITS, USERS } from './people.ts';
import { runProjects } from './projects.ts';

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
  requests: LoadRequest[];
  headers?: Record<string, string>;
  /** Whether every request asks for another person. */
  isOnce?: boolean;
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
    if (selected.some(({ isOnce }) => isOnce)) await fillPeopleAskedOnce(deployment);
    printTable(COLUMNS, await measureAll(selected, Number(values.seconds), Number(values.runs)));
  } finally {
    await Promise.all(floors.map((floor) => floor.stop()));
    await deployment.stop();
  }
}

/** Stands for the number of a person who is asked for once. */
const NUMBER = 'N'.repeat(ONCE_DIGITS);

function evaluationTargets(service: Program, floor: Program): Target[] {
  const requests = Array.from({ length: USERS }, (_, user) => ({
    path: `/v1/flags?distinct_id=user-${(user * 7919) % USERS}`,
  }));
  const once = [{ path: `/v1/flags?distinct_id=once-${NUMBER}` }];
  const members = requests.map(({ path }) => ({ path: path.replace('flags', 'flags/memberships') }));
  return [
    { name: 'evaluate 100 flags', server: service, requests, headers: AUTHORIZED },
    { name: 'evaluate 100 flags, once', server: service, requests: once, headers: AUTHORIZED, isOnce: true },
    { name: 'floor: Node, JSON.stringify', server: floor, requests },
    { name: 'memberships', server: service, requests: members, headers: AUTHORIZED },
  ];
}

function snapshotTargets(service: Program, floor: Program, etag: string): Target[] {
  const snapshot = { server: service, requests: [{ path: '/v1/flags/snapshot' }] };
  return [
    { ...snapshot, name: 'snapshot 304', headers: { ...AUTHORIZED, 'If-None-Match': etag } },
    { name: 'floor: Hono, c.body(null, 304)', server: floor, requests: [{ path: '/304' }] },
    { ...snapshot, name: 'snapshot 200', headers: AUTHORIZED },
    { ...snapshot, name: 'snapshot 200, br', headers: { ...AUTHORIZED, 'Accept-Encoding': 'br' } },
    { name: 'floor: Hono, ready bytes', server: floor, requests: [{ path: '/200' }] },
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

/** People who were asked for once. */
let asked = 0;

async function measure({ server, requests, headers = {}, isOnce }: Target, seconds: number): Promise<Run> {
  const usage = processUsage(server.pid);
  await usage.resetPeak();
  const cpuBefore = await usage.cpuSeconds();
  const result = await applyLoad({
    port: server.port,
    requests,
    headers,
    connections: CONNECTIONS,
    seconds,
    ...(isOnce ? { placeholder: NUMBER, firstNumber: asked } : {}),
  });
  const cpu = (await usage.cpuSeconds()) - cpuBefore;
  const answered = countOf(result);
  if (isOnce) asked += answered;
  if (asked > ONCE) throw new Error(`there are ${thousands(ONCE)} people: take fewer --runs or --seconds`);
  return {
    result,
    perSecond: answered / result.seconds,
    cpuMicros: (cpu * 1e6) / answered,
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
