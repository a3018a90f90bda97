import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ingestionTopics } from '@switchboard/contracts';
import { freePort } from '@switchboard/testkit';
import { median, medianRun } from '../lib/median.ts';
import { type ServerProcess, startServer } from '../lib/process.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { applyGets, type GetResult } from './get-load.ts';
import { traitsOf } from './ruleset.ts';
import { authorized, type Setting, setUp } from './setting.ts';

const USERS = 10_000;
const CONNECTIONS = 20;

const columns = [
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
  server: ServerProcess;
  paths: string[];
  headers?: Record<string, string>;
}

interface Run {
  result: GetResult;
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
    },
  });
  const flags = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
  const setting = await setUp(flags);
  const floors: ServerProcess[] = [];
  try {
    await fillUserState(setting);
    await measureIdentify(setting);
    const url = `http://127.0.0.1:${setting.service.port}`;
    const snapshot = await fetch(`${url}/v1/flags/snapshot`, { headers: authorized });
    const bytes = (await snapshot.arrayBuffer()).byteLength;
    const etag = snapshot.headers.get('etag') ?? '';
    const stringify = await startFloor({ FLOOR: 'stringify' });
    const hono = await startFloor({ FLOOR: 'hono', FLOOR_BYTES: String(bytes) });
    floors.push(stringify, hono);
    const targets = evaluationTargets(setting.service, stringify).concat(
      snapshotTargets(setting.service, hono, etag),
    );
    const asked = targets.filter(({ name }) => name.includes(values.only));
    printTable(columns, await measureAll(asked, Number(values.seconds), Number(values.runs)));
  } finally {
    await Promise.all(floors.map((floor) => floor.stop()));
    await setting.stop();
  }
}

function evaluationTargets(service: ServerProcess, floor: ServerProcess): Target[] {
  const paths = Array.from(
    { length: USERS },
    (_, user) => `/v1/flags?distinct_id=user-${(user * 7919) % USERS}`,
  );
  return [
    { name: 'evaluate 100 flags', server: service, paths, headers: authorized },
    { name: 'floor: Node, JSON.stringify', server: floor, paths },
  ];
}

function snapshotTargets(service: ServerProcess, floor: ServerProcess, etag: string): Target[] {
  const snapshot = { server: service, paths: ['/v1/flags/snapshot'] };
  return [
    { ...snapshot, name: 'snapshot 304', headers: { ...authorized, 'If-None-Match': etag } },
    { name: 'floor: Hono, c.body(null, 304)', server: floor, paths: ['/304'] },
    { ...snapshot, name: 'snapshot 200', headers: authorized },
    { ...snapshot, name: 'snapshot 200, br', headers: { ...authorized, 'Accept-Encoding': 'br' } },
    { name: 'floor: Hono, ready bytes', server: floor, paths: ['/200'] },
  ];
}

/** Targets take turns, so that whatever else the machine does falls on all; the median run of each is shown. */
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
  await server.forgetPeak();
  const cpuBefore = await server.cpuSeconds();
  const result = await applyGets({ port: server.port, paths, headers, connections: CONNECTIONS, seconds });
  const cpu = (await server.cpuSeconds()) - cpuBefore;
  const requests = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  return {
    result,
    perSecond: requests / result.seconds,
    cpuMicros: (cpu * 1e6) / requests,
    peakMb: await server.peakMb(),
  };
}

function failures({ statuses }: GetResult): number {
  return Object.entries(statuses)
    .filter(([status]) => Number(status) < 200 || Number(status) >= 400)
    .reduce((sum, [, count]) => sum + count, 0);
}

async function startFloor(env: Record<string, string>): Promise<ServerProcess> {
  const script = join(import.meta.dirname, 'floor.ts');
  return startServer({ script, port: await freePort(), readyPath: '/', env });
}

/** Every user with traits and a company, by way of the event log; says how fast the service took them in. */
async function fillUserState(setting: Setting): Promise<void> {
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
    setting.publish(ingestionTopics.identifies, identifies),
    setting.publish(ingestionTopics.groups, groups),
  ]);
  const publishedAt = performance.now();
  const { identifies: identifyTopic, groups: groupTopic } = ingestionTopics;
  for (;;) {
    const lag = await setting.log.lag('flags.user-state', [identifyTopic, groupTopic]);
    if (lag.every(({ behind }) => behind === 0n)) break;
    await sleep(20);
  }
  const seconds = (performance.now() - beganAt) / 1000;
  console.log(
    `user state: ${thousands((2 * USERS) / seconds)} records/s from the first publish to the last one applied ` +
      `(published after ${decimals(publishedAt - beganAt, 0)} ms)`,
  );
}

/** From the log's acknowledgement of an identify, which is when ingestion answers 202, to an evaluation that sees it. */
async function measureIdentify({ publish, service }: Setting): Promise<void> {
  const url = `http://127.0.0.1:${service.port}/v1/flags/memberships?distinct_id=`;
  const waits: number[] = [];
  for (let turn = 0; turn < 50; turn++) {
    const distinct_id = `fresh-${turn}`;
    await publish(ingestionTopics.identifies, [{ distinct_id, traits: { betaTester: true } }]);
    const acknowledgedAt = performance.now();
    for (;;) {
      const response = await fetch(`${url}${distinct_id}`, { headers: authorized });
      if ((await response.text()).includes('beta')) break;
    }
    waits.push(performance.now() - acknowledgedAt);
  }
  const sorted = waits.toSorted((a, b) => a - b);
  console.log(
    `identify to evaluation: median ${decimals(median(waits))} ms, highest ${decimals(sorted.at(-1) ?? 0)} ms of ${waits.length}`,
  );
}
