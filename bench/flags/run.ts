import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Program, processUsage, spawnProgram } from '@switchboard/testkit';
import { HISTORY_OPTIONS, keepHistory, type Ratio } from '../lib/history.ts';
import { applyLoad, countOf, type LoadRequest, type LoadResult } from '../lib/load.ts';
import { medianRun } from '../lib/median.ts';
import { profileFlags } from '../lib/rig.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { AUTHORIZED, deploy } from './deployment.ts';
import { type Peer, peerRequest, startPeer } from './peer.ts';
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
  /** Whether every request is for a different person. */
  isOnce?: boolean;
  /** The target that this one is compared with. */
  floor?: Target;
  peer?: Target | undefined;
}

interface Run {
  result: LoadResult;
  perSecond: number;
  cpuMicros: number;
  peakMb: number;
}

/** Compares the flags service with bare Node, bare Hono and, with --peer, another product. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      seconds: { type: 'string', default: '6' },
      runs: { type: 'string', default: '3' },
      only: { type: 'string', default: '' },
      profile: { type: 'string' },
      workers: { type: 'string', default: '1' },
      peer: { type: 'string' },
      ...HISTORY_OPTIONS,
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
  const deployment = await deploy(profileFlags(values.profile), values.workers);
  const stopped: { stop(): Promise<unknown> }[] = [deployment];
  try {
    await fillUserState(deployment);
    await measureIdentify(deployment);
    const snapshot = await fetch(`${deployment.service.url}/v1/flags/snapshot`, { headers: AUTHORIZED });
    const bytes = (await snapshot.arrayBuffer()).byteLength;
    const etag = snapshot.headers.get('etag') ?? '';
    const stringify = await startFloor({ FLOOR: 'stringify' });
    const read = await startFloor({ FLOOR: 'read', FLOOR_DATABASE_URL: await deployment.databaseUrl() });
    const hono = await startFloor({ FLOOR: 'hono', FLOOR_BYTES: String(bytes) });
    stopped.unshift(stringify, read, hono);
    const peer = values.peer === undefined ? undefined : await startPeer(values.peer);
    if (peer !== undefined) stopped.unshift(peer);
    const targets = evaluationTargets(deployment.service, { stringify, read }, peer).concat(
      snapshotTargets(deployment.service, hono, etag),
    );
    const selected = withCompared(targets.filter(({ name }) => name.includes(values.only)));
    if (selected.some(({ isOnce }) => isOnce)) await fillPeopleAskedOnce(deployment);
    const runs = await measureAll(selected, Number(values.seconds), Number(values.runs));
    printTable(
      COLUMNS,
      [...runs].map(([{ name }, run]) => [name, ...figures(run)]),
    );
    await keepHistory('flags', ratiosOf(runs, values.workers), values);
  } finally {
    for (const one of stopped) await one.stop();
  }
}

/** The placeholder for the number of a person who is requested once. */
const NUMBER = 'N'.repeat(ONCE_DIGITS);

function evaluationTargets(
  service: Program,
  floors: { stringify: Program; read: Program },
  peer: Peer | undefined,
): Target[] {
  const users = Array.from({ length: USERS }, (_, index) => (index * 7919) % USERS);
  const requests = users.map((user) => ({ path: `/v1/flags?distinct_id=user-${user}` }));
  const members = requests.map(({ path }) => ({ path: path.replace('flags', 'flags/memberships') }));
  const once = [{ path: `/v1/flags?distinct_id=once-${NUMBER}` }];
  const floor: Target = { name: 'floor: Node, JSON.stringify', server: floors.stringify, requests };
  const reads: Target = {
    name: 'floor: Node, postgres.js, JSON.stringify',
    server: floors.read,
    requests: once,
    isOnce: true,
  };
  const peerTarget = (name: string, idOf: (user: number) => string): Target | undefined =>
    peer && { name, server: peer.program, requests: users.map((user) => peerRequest(idOf(user), user)) };
  const ours = { server: service, headers: AUTHORIZED, floor };
  return [
    {
      ...ours,
      name: 'evaluate 100 flags',
      requests,
      peer: peerTarget('peer: evaluate 100 flags', (user) => `user-${user}`),
    },
    {
      ...ours,
      floor: reads,
      name: 'evaluate 100 flags, once',
      requests: once,
      isOnce: true,
      peer: peerTarget('peer: evaluate 100 flags, once', () => `once-${NUMBER}`),
    },
    { ...ours, name: 'memberships', requests: members },
  ];
}

function snapshotTargets(service: Program, floorServer: Program, etag: string): Target[] {
  const snapshot = { server: service, requests: [{ path: '/v1/flags/snapshot' }] };
  const floorOf = (name: string, path: string): Target => ({
    name,
    server: floorServer,
    requests: [{ path }],
  });
  const notModified = floorOf('floor: Hono, c.body(null, 304)', '/304');
  const ready = floorOf('floor: Hono, ready bytes', '/200');
  const br = { ...AUTHORIZED, 'Accept-Encoding': 'br' };
  return [
    {
      ...snapshot,
      name: 'snapshot 304',
      headers: { ...AUTHORIZED, 'If-None-Match': etag },
      floor: notModified,
    },
    { ...snapshot, name: 'snapshot 200', headers: AUTHORIZED, floor: ready },
    { ...snapshot, name: 'snapshot 200, br', headers: br, floor: ready },
  ];
}

/** Returns the targets, each followed by its peer and its floor. */
function withCompared(targets: Target[]): Target[] {
  return [
    ...new Set(targets.flatMap((one) => [one, one.peer, one.floor].filter((each) => each !== undefined))),
  ];
}

/** Measures targets in turn, so that other load on the machine affects all. Returns the median run of each. */
async function measureAll(targets: Target[], seconds: number, runs: number): Promise<Map<Target, Run>> {
  for (const target of targets) await warmUp(target);
  const results = new Map<Target, Run[]>(targets.map((target) => [target, []]));
  for (let turn = 0; turn < runs; turn++) {
    for (const target of targets) results.get(target)?.push(await measure(target, seconds));
  }
  return new Map([...results].map(([target, all]) => [target, medianRun(all, (one) => one.perSecond)]));
}

function figures({ result, perSecond, cpuMicros, peakMb }: Run): string[] {
  const { p50, p99, max } = result.latency;
  return [
    thousands(perSecond),
    decimals(p50, 2),
    decimals(p99, 2),
    decimals(max),
    thousands(failures(result)),
    decimals(cpuMicros),
    decimals(peakMb, 0),
  ];
}

function ratiosOf(runs: Map<Target, Run>, workers: string): Ratio[] {
  return [...runs].flatMap(([target, run]) =>
    (['floor', 'peer'] as const).flatMap((kind): Ratio[] => {
      const compared = target[kind];
      const other = compared && runs.get(compared);
      if (other === undefined) return [];
      const scenario = workers === '1' ? target.name : `${target.name}, WORKERS=${workers}`;
      return [
        {
          scenario,
          ratio: `requests/s of ${kind}`,
          value: run.perSecond / other.perSecond,
          better: 'higher',
        },
        { scenario, ratio: `CPU of ${kind}`, value: run.cpuMicros / other.cpuMicros, better: 'lower' },
      ];
    }),
  );
}

/** Sends every request to the flags service twice: it caches a response from the second request for a person on. */
async function warmUp(target: Target): Promise<void> {
  const { requests, floor } = target;
  const enough = floor === undefined ? 1 : 2 * requests.length;
  for (let sent = 0; sent < enough; ) {
    const from = sent % requests.length;
    const rotated = [...requests.slice(from), ...requests.slice(0, from)];
    sent += countOf((await measure({ ...target, requests: rotated }, 2)).result);
  }
}

/** The number of one-time people requested so far. */
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
    placeholder: NUMBER,
    firstNumber: isOnce ? asked : 0,
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
