import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '@switchboard/database';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { openPostgresLog } from '@switchboard/event-log';
import { eventually, type Harness, type Program, processUsage, spawnProgram } from '@switchboard/testkit';
import { measure, printRuns, type Run, type Target } from '../lib/compare.ts';
import { HEAP_FLAGS, heapFlagsOf, openBenchHarness } from '../lib/harness.ts';
import type { LoadRequest } from '../lib/load/load.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { benchFlags } from './ruleset.ts';

export interface ProjectsOptions {
  projects: number;
  seconds: number;
  /** The memory limit of the pod that determines the heap of the process. */
  memoryMib: number;
  flags?: readonly string[];
}

const REQUESTS = 50_000;
const PEOPLE = 1_000;
const WARM_UP_SECONDS = 3;
const PROJECTS_AT_ONCE = 100;
const idOf = (project: number) => `project-${project}`;
const keyOf = (project: number) => `pk_eu_${String(project).padStart(32, '0')}`;

/**
 * Requests the flags of many projects from one process, with rulesets that together exceed its memory. Compares
 * projects that are not in memory with a bare server that reads and parses their flags.
 */
export async function measureProjects(options: ProjectsOptions): Promise<void> {
  const { projects, seconds, memoryMib, flags = [] } = options;
  const { harness, stop } = await openBenchHarness({ durable: false, env: { TOPIC_PARTITIONS: '4' } });
  try {
    await makeDirectory(harness);
    const heap = heapFlagsOf(memoryMib);
    const heapFlags = [...HEAP_FLAGS, ...heap];
    const service = await harness.spawn('flags', { flags: [...heapFlags, ...flags], output: 'inherit' });
    await fillProjects(harness, projects);
    await eventually(() => askProject(service, projects - 1), { withinMs: 300_000 });
    const bytes = await askProject(service, 0);
    const bare = await startBare(harness, heapFlags, bytes);
    console.log(`${thousands(projects)} projects of ${benchFlags().length} flags, ${heap.join(' ')}`);
    // Projects in turn: the least recently used are evicted, so no project is in memory when it is requested.
    const inTurn = Array.from({ length: projects }, (_, project) => project);
    const floor = targetOf('floor: Node, postgres.js, JSON.parse', bare, inTurn, ({ project }) => ({
      path: `/?project=${idOf(project)}`,
    }));
    const targets = [
      targetOf(
        'projects, uniformly',
        service,
        picked(() => Math.floor(Math.random() * projects)),
      ),
      targetOf('projects, by Zipf (s = 1)', service, picked(zipf(projects))),
      { ...targetOf('projects, in turn', service, inTurn), floor },
      floor,
    ];
    for (const target of targets) await measure(target, { seconds: WARM_UP_SECONDS });
    await measureAll(targets, await postgresOf(harness), seconds);
    await bare.stop();
  } finally {
    await stop();
  }
}

async function measureAll(targets: readonly Target[], postgres: number, seconds: number): Promise<void> {
  const runs = new Map<Target, Run>();
  const database = new Map<Target, number>();
  for (const target of targets) {
    const usage = processUsage(postgres);
    const before = await usage.cpuSeconds();
    const run = await measure(target, { seconds });
    runs.set(target, run);
    const cpu = (await usage.cpuSeconds()) - before;
    database.set(target, (cpu * 1e6) / (run.perSecond * run.result.seconds));
  }
  printRuns(runs);
  printTable(
    ['scenario', 'CPU us/request', 'of floor', 'PostgreSQL CPU us/request'],
    [...runs].map(([target, { cpuMicros }]) => {
      const floor = target.floor && runs.get(target.floor);
      return [
        target.name,
        decimals(cpuMicros),
        floor === undefined ? '' : decimals(cpuMicros / floor.cpuMicros, 2),
        decimals(database.get(target) ?? 0),
      ];
    }),
  );
}

async function startBare(harness: Harness, heapFlags: readonly string[], bytes: number): Promise<Program> {
  return spawnProgram({
    command: ['node', ...heapFlags, join(import.meta.dirname, 'floor.ts')],
    env: {
      NODE_ENV: 'production',
      FLOOR: 'project',
      FLOOR_BYTES: String(bytes),
      FLOOR_DATABASE_URL: await harness.databaseUrl('flags'),
    },
    ready: `/?project=${idOf(0)}`,
    output: 'inherit',
  });
}

/** Returns the process id of PostgreSQL. */
async function postgresOf(harness: Harness): Promise<number> {
  const { sql, close } = openDatabase({
    url: await harness.databaseUrl('flags'),
    applicationName: 'bench',
  });
  const [row] = await sql`select setting from pg_settings where name = 'data_directory'`;
  await close();
  const [pid] = (await readFile(join(row?.['setting'], 'postmaster.pid'), 'utf8')).split('\n');
  return Number(pid);
}

interface Asked {
  project: number;
  person: number;
}

const picked = (pick: () => number) => Array.from({ length: REQUESTS }, pick);

function targetOf(
  name: string,
  server: Program,
  projects: readonly number[],
  requestOf: (asked: Asked) => LoadRequest = requestFlags,
): Target {
  const requests = projects.map((project) =>
    requestOf({ project, person: Math.floor(Math.random() * PEOPLE) }),
  );
  return { name, server, requests };
}

const requestFlags = ({ project, person }: Asked): LoadRequest => ({
  path: `/v1/flags?distinct_id=user-${person}`,
  headers: { Authorization: `Bearer ${keyOf(project)}` },
});

/** Requests the flags of a project, and returns the number of bytes. Throws if the request fails. */
export async function askProject({ url }: Program, project: number): Promise<number> {
  const response = await fetch(`${url}/v1/flags?distinct_id=ada`, {
    headers: { Authorization: `Bearer ${keyOf(project)}` },
  });
  if (response.status !== 200) throw new Error(`the flags of project ${project}: ${response.status}`);
  return (await response.arrayBuffer()).byteLength;
}

/** Creates the topic of the directory. Without it, no service becomes ready. */
export async function makeDirectory(harness: Harness): Promise<void> {
  const log = openPostgresLog({ url: harness.logUrl });
  await createDirectoryPublisher(log, { partitions: 4 });
  await log.close();
}

/** Fills the directory and the flags of each project, bypassing the management API. */
export async function fillProjects(harness: Harness, projects: number): Promise<void> {
  const log = openPostgresLog({ url: harness.logUrl });
  const directory = await createDirectoryPublisher(log, { partitions: 4 });
  const database = openDatabase({
    url: await harness.databaseUrl('flags'),
    applicationName: 'bench',
    statementTimeoutMs: 300_000,
  });
  const { sql } = database;
  const entries = JSON.stringify(benchFlags());
  for (let from = 0; from < projects; from += PROJECTS_AT_ONCE) {
    const to = Math.min(projects, from + PROJECTS_AT_ONCE);
    const numbers = Array.from({ length: to - from }, (_, index) => from + index);
    await Promise.all(
      numbers.map((project) => directory.putProject({ id: idOf(project), key: keyOf(project) })),
    );
    // Every project has unique keys, so that no two rulesets are equal.
    await sql`
      with project as (select 'project-' || n as id, n from unnest(${numbers}::int[]) as n), flag as (
        select id, replace(entry::text, 'feature-', 'feature-' || n || '-')::json as entry
        from project, json_array_elements(${entries}::text::json) as entry)
      insert into flags (project_id, key, entry) select id, entry ->> 'key', entry from flag`;
  }
  // As a change of a flag writes it.
  await sql`
    insert into rulesets (project_id, changed_at, documented_at, document)
    select project_id, now(), now(), json_build_object('flags', json_agg(entry order by key), 'cohorts', '[]'::json)::text
    from flags group by project_id`;
  await sql`analyze`;
  await database.close();
  await log.close();
}

/** Generates numbers below `count` with a probability inversely proportional to their rank. */
function zipf(count: number): () => number {
  const sums: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= count; rank++) {
    sum += 1 / rank;
    sums.push(sum);
  }
  return () => {
    const point = Math.random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < point) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
