import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Program, spawnProgram } from '@switchboard/testkit';
import { compare, type Numbers, printRuns, ratiosOf, type Target } from '../lib/compare.ts';
import { profileFlags } from '../lib/harness.ts';
import { keepHistory } from '../lib/history.ts';
import { OPTIONS, selected } from '../lib/options.ts';
import { AUTHORIZED } from '../lib/project.ts';
import { deploy } from './deployment.ts';
import { LISTS, startLists } from './lists.ts';
import { type Peer, peerRequest, startPeer } from './peer.ts';
import { fillPeopleAskedOnce, fillUserState, ONCE, ONCE_DIGITS, USERS } from './people.ts';
import { measureProjects } from './projects.ts';

const EVALUATIONS = ['evaluate 100 flags', 'evaluate 100 flags, once', 'memberships'] as const;
const SNAPSHOTS = ['snapshot 304', 'snapshot 200', 'snapshot 200, br'] as const;
const PROJECTS = 'many projects';

/**
 * Compares the flags service with bare Node, bare Hono and, with --peer, another product. Also compares catalogue's
 * public lists with ready bytes, and measures evaluations of many projects in a small heap.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      ...OPTIONS,
      workers: { type: 'string', default: '1' },
      /** The path of GO Feature Flag's relay proxy. */
      peer: { type: 'string' },
      /** The number of projects, and the memory limit of the pod (MiB) that evaluates their flags. */
      projects: { type: 'string', default: '10000' },
      memory: { type: 'string', default: '512' },
    },
  });
  const names = selected([...EVALUATIONS, ...SNAPSHOTS, ...LISTS, PROJECTS], values.only, (name) => name);
  const seconds = Number(values.seconds);
  const flags = profileFlags(values.profile);
  if (names.some((name) => name !== PROJECTS)) {
    const runs = await compareFlags(names, { ...values, seconds, flags });
    printRuns(runs);
    await keepHistory('flags', ratiosOf(runs), values);
  }
  if (names.includes(PROJECTS)) {
    const [projects, memoryMib] = [Number(values.projects), Number(values.memory)];
    await measureProjects({ projects, seconds, memoryMib, flags });
  }
}

interface CompareOptions {
  seconds: number;
  runs: string;
  workers: string;
  peer?: string | undefined;
  flags: readonly string[];
}

async function compareFlags(names: readonly string[], options: CompareOptions) {
  const { seconds, workers } = options;
  const deployment = await deploy(options.flags, workers);
  const stopped: { stop(): Promise<unknown> }[] = [deployment];
  try {
    await fillUserState(deployment);
    const snapshot = await fetch(`${deployment.service.url}/v1/flags/snapshot`, { headers: AUTHORIZED });
    const bytes = (await snapshot.arrayBuffer()).byteLength;
    const etag = snapshot.headers.get('etag') ?? '';
    const stringify = await startFloor({ FLOOR: 'stringify' });
    const read = await startFloor({ FLOOR: 'read', FLOOR_DATABASE_URL: await deployment.databaseUrl() });
    const hono = await startFloor({ FLOOR: 'hono', FLOOR_BYTES: String(bytes) });
    stopped.unshift(stringify, read, hono);
    const peer = options.peer === undefined ? undefined : await startPeer(options.peer);
    if (peer !== undefined) stopped.unshift(peer);
    const targets = [
      ...evaluationTargets(deployment.service, { stringify, read }, peer),
      ...snapshotTargets(deployment.service, hono, etag),
    ].filter(({ name }) => names.includes(name));
    if (targets.some(({ numbers }) => numbers !== undefined)) await fillPeopleAskedOnce(deployment);
    const lists = LISTS.some((name) => names.includes(name)) ? await startLists(options.flags) : undefined;
    if (lists !== undefined) {
      stopped.unshift(lists);
      targets.push(...lists.targets.filter(({ name }) => names.includes(name)));
    }
    const named = targets.map((target) =>
      workers === '1' ? target : { ...target, name: `${target.name}, WORKERS=${workers}` },
    );
    return await compare(named, { seconds, runs: Number(options.runs) });
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
  const numbers: Numbers = { placeholder: NUMBER, next: 0, count: ONCE };
  const floor: Target = { name: 'floor: Node, JSON.stringify', server: floors.stringify, requests };
  const reads: Target = {
    name: 'floor: Node, postgres.js, JSON.stringify',
    server: floors.read,
    requests: once,
    numbers,
  };
  const peerTarget = (name: string, idOf: (user: number) => string): Target | undefined =>
    peer && { name, server: peer.program, requests: users.map((user) => peerRequest(idOf(user), user)) };
  const onceAtPeer = peerTarget('peer: evaluate 100 flags, once', () => `once-${NUMBER}`);
  const ours = { server: service, headers: AUTHORIZED, warmUp: SENT_TWICE, floor };
  const [all, allOnce, memberships] = EVALUATIONS;
  return [
    { ...ours, name: all, requests, peer: peerTarget(`peer: ${all}`, (user) => `user-${user}`) },
    {
      ...ours,
      floor: reads,
      name: allOnce,
      requests: once,
      warmUp: 1,
      numbers,
      peer: onceAtPeer && { ...onceAtPeer, numbers },
    },
    { ...ours, name: memberships, requests: members },
  ];
}

/** The flags service caches a response from the second request for a person on. */
const SENT_TWICE = 2 * USERS;

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
  const [unmodified, full, compressed] = SNAPSHOTS;
  const ifNoneMatch = { ...AUTHORIZED, 'If-None-Match': etag };
  return [
    { ...snapshot, name: unmodified, headers: ifNoneMatch, floor: notModified },
    { ...snapshot, name: full, headers: AUTHORIZED, floor: ready },
    { ...snapshot, name: compressed, headers: br, floor: ready },
  ];
}

function startFloor(env: Record<string, string>): Promise<Program> {
  return spawnProgram({
    command: ['node', join(import.meta.dirname, 'floor.ts')],
    env: { NODE_ENV: 'production', ...env },
    ready: '/',
    output: 'inherit',
  });
}
