import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openKafkaLog } from '@switchboard/event-log';
import { eventually, type ProcessUsage, processUsage } from '@switchboard/testkit';
import { bodyOf, NUMBER } from '../../ingestion/bodies.ts';
import { DAY_MS } from '../../insights/files.ts';
import { applyLoad, countOf, isSuccess, type LoadRequest } from '../../lib/load/load.ts';
import { type Deployment, deploy, MEMBER, putProjects, SERVICES, type Service } from './deployment.ts';
import { EVENT_NAMES, type StoredFile, writeFiles } from './files.ts';
import { fillDatabases, type Opened, openConversations, TURN } from './fill.ts';
import { type Joins, joinsApplied, measureJoins } from './joins.ts';
import {
  anonymousId,
  LOADS,
  type Load,
  MODEL,
  personId,
  projectId,
  projectOf,
  randomPerson,
  rateOf,
  type Size,
  type Spread,
} from './model.ts';
import { type Objects, objectsPerDay } from './objects.ts';
import { readTables, type Table } from './tables.ts';

/** The number of events that an SDK sends per request. */
const EVENTS_PER_REQUEST = 10;
const DIFFERENT_REQUESTS = 5_000;
const DIFFERENT_BODIES = 1_000;
const CONNECTIONS = 16;
const IDLE_SECONDS = 10;
/** A file that marks a folder as completely filled. */
const FILLED = 'filled.json';
/** A file that marks a folder with filled databases, which take longest. A run continues from there. */
const DATABASES_FILLED = 'databases-filled';
/** Disk space for the whole model: PostgreSQL, Parquet, copies of it, and space to build indexes. */
const STORED_BYTES = 48e9;

export interface Options {
  /** The duration of each peak. The average load lasts three times as long. */
  seconds: number;
  /** The value of ARCHIVE_FILE_SECONDS. */
  fileSeconds: number;
  /** Default: the number of partitions in the model. */
  partitions?: number;
  /** A folder in which stored data is kept and reused. */
  keep?: string | undefined;
}

/** The work and the cost of a load in a window. */
export interface Window {
  seconds: number;
  /** The number of CPUs in use, by service. */
  cores: Record<Service, number>;
  loads: Record<Load, { done: number; failures: Record<string, number>; p50: number; p99: number }>;
}

/** The facts about stored data that the load needs. */
interface Filled {
  /** The key of each project. */
  keys: string[];
  opened: Opened[];
  archivedBytes: number;
}

/** The measurements at a share of the model. */
export interface Measured {
  size: Size;
  idle: Record<Service, number>;
  peaks: Record<Spread, Window>;
  average: Window;
  /** The peak resident memory in megabytes. */
  peakMb: Record<Service, number>;
  objects: Objects;
  archivedBytes: number;
  joins: Joins;
  tables: Table[];
}

const note = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);

/** Applies the model's load to a deployment with a share of the model's data. Applies none if `seconds` is 0. */
export async function measureShare(size: Size, options: Options): Promise<Measured | undefined> {
  const { keep } = options;
  const folder =
    keep === undefined
      ? await mkdtemp(join(tmpdir(), 'switchboard-scale-'))
      : join(keep, `${size.share * 100}%`);
  const known = await readFile(join(folder, FILLED), 'utf8').catch(() => undefined);
  try {
    // Discards the data of an earlier run that did not finish filling the databases.
    if (known === undefined && !existsSync(join(folder, DATABASES_FILLED)))
      await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    return await measureIn(folder, size, options, known === undefined ? undefined : JSON.parse(known));
  } finally {
    if (keep === undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function measureIn(
  folder: string,
  size: Size,
  options: Options,
  known: Filled | undefined,
): Promise<Measured | undefined> {
  note(`${size.share * 100}% of the model: starting`);
  const deployment = await deploy({ partitions: MODEL.partitions, ...options, folder });
  const { harness, pods, sql } = deployment;
  try {
    const { keys, opened, archivedBytes } = known ?? (await fill(deployment, folder, size));
    if (options.seconds === 0) return undefined;
    note('building a replica of the joined ids again');
    const joins = await measureJoins(deployment, folder);
    const usages = new Map(SERVICES.map((name) => [name, processUsage(pods[name].pid)]));
    await settled(deployment, keys, usages);
    note(`measuring for ${IDLE_SECONDS + 5 * options.seconds} s`);
    // In a kept folder, event ids differ from those of earlier runs, which send fewer than 10 per millisecond.
    const sent: Sent = { first: Date.now() * 10, events: 0, accepted: 0 };
    const before = await eventsIn(sql('archive'));
    const idle = await coresDuring(usages, IDLE_SECONDS, () => sleep(IDLE_SECONDS * 1000));
    const window = (spread: Spread, isPeak: boolean, seconds: number) =>
      applyModel(deployment, { size, keys, opened, usages, spread, isPeak, seconds, sent });
    const { seconds } = options;
    const since = new Date().toISOString();
    // Warms up: excludes compilation and opening connections from the measurement.
    await window('zipf', true, Math.min(5, seconds));
    const peaks = {
      zipf: await window('zipf', true, seconds),
      uniform: await window('uniform', true, seconds),
    };
    const average = await window('zipf', false, 3 * seconds);
    await archived(harness);
    // An event that got a 503 may still be stored.
    const stored = (await eventsIn(sql('archive'))) - before;
    if (stored < sent.accepted || stored > sent.events) {
      throw new Error(`${stored} of ${sent.accepted} events were archived`);
    }
    const objects = await objectsPerDay(sql('archive'), since);
    const peakMb = await byService(async (name) => (await usages.get(name)?.peakMb()) ?? Number.NaN);
    note('reading tables');
    const tables = await readTables(deployment);
    for (const name of SERVICES) if (!pods[name].isRunning) throw new Error(`${name} ended`);
    return { size, idle, peaks, average, peakMb, objects, archivedBytes, joins, tables };
  } catch (error) {
    for (const name of SERVICES) console.error(name, pods[name].lines.slice(-3).join('\n'));
    throw error;
  } finally {
    await deployment.stop();
  }
}

async function fill(deployment: Deployment, folder: string, size: Size): Promise<Filled> {
  note('filling');
  const timed = async <T>(what: string, work: Promise<T>): Promise<T> => {
    const result = await work;
    note(`filled ${what}`);
    return result;
  };
  const marker = join(folder, DATABASES_FILLED);
  if (!existsSync(marker)) {
    const { bavail, bsize } = await statfs(folder);
    const needed = size.share * STORED_BYTES;
    if (bavail * bsize < needed) throw new Error(`${folder} needs ${Math.ceil(needed / 1e9)} GB`);
    // First, because while it writes, the databases are too slow for requests.
    await timed('databases', fillDatabases(deployment, size));
    await writeFile(marker, '');
  }
  const [keys, files] = await Promise.all([
    timed('projects', putProjects(deployment, size.projects)),
    timed('files', writeFiles(deployment.objects, size)),
  ]);
  await enterFiles(deployment, files);
  const opened = await openConversations(deployment, size, keys);
  await timed('joins of every replica', joinsApplied(deployment));
  const archivedBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const result: Filled = { keys, opened, archivedBytes };
  await writeFile(join(folder, FILLED), JSON.stringify(result));
  return result;
}

async function byService<T>(of: (name: Service) => Promise<T>): Promise<Record<Service, T>> {
  const entries = await Promise.all(SERVICES.map(async (name) => [name, await of(name)] as const));
  return Object.fromEntries(entries) as Record<Service, T>;
}

/** Inserts files as the archive inserts merged files. The archive then publishes them to analytics. */
async function enterFiles({ sql }: Deployment, files: readonly StoredFile[]): Promise<void> {
  await sql('archive')`
    insert into event_files (key, day, project_id, bucket, buckets, rows, bytes, row_bytes, first_occurred_at,
      last_occurred_at, event_names, made_by)
    select key, day, null, bucket, buckets, rows, bytes, rows * 400, first_occurred_at, last_occurred_at,
      ${EVENT_NAMES}::text[], gen_random_uuid()
    from jsonb_to_recordset(${JSON.stringify(files)}::text::jsonb) as file (key text, day date, bucket integer,
      buckets integer, rows bigint, bytes bigint, first_occurred_at bigint, last_occurred_at bigint)`;
  const known = async () => {
    const [row] = await sql('analytics')`select count(*)::int as count from archive_files`;
    if (row?.['count'] < files.length) throw new Error(`analytics has ${row?.['count']} files`);
  };
  await eventually(known, { withinMs: 300_000 });
}

type Usages = ReadonlyMap<Service, ProcessUsage>;

const SETTLED_CORES = 0.15;

/** Resolves once every service has applied all its data. */
async function settled({ pods }: Deployment, keys: readonly string[], usages: Usages): Promise<void> {
  const last = keys.at(-1) ?? '';
  await eventually(
    async () => {
      const answer = await fetch(`${pods.flags.url}/v1/flags?distinct_id=ada`, {
        headers: { Authorization: `Bearer ${last}` },
      });
      if (answer.status !== 200) throw new Error(`flags answered ${answer.status}`);
      const cores = await coresDuring(usages, 2, () => sleep(2_000));
      const busy = SERVICES.find((name) => cores[name] > SETTLED_CORES);
      if (busy !== undefined) throw new Error(`${busy} is busy`);
    },
    { withinMs: 300_000 },
  );
}

/** Measures the CPUs that each service uses while `work` runs. */
async function coresDuring(
  usages: Usages,
  minSeconds: number,
  work: () => Promise<unknown>,
): Promise<Record<Service, number>> {
  const read = () => byService(async (name) => (await usages.get(name)?.cpuSeconds()) ?? Number.NaN);
  const before = await read();
  const began = performance.now();
  await work();
  const seconds = Math.max(minSeconds, (performance.now() - began) / 1000);
  const after = await read();
  return await byService(async (name) => (after[name] - before[name]) / seconds);
}

interface WindowOptions {
  size: Size;
  keys: readonly string[];
  opened: readonly Opened[];
  usages: Usages;
  spread: Spread;
  isPeak: boolean;
  seconds: number;
  sent: Sent;
}

/** The events of all windows so far. */
interface Sent {
  /** The number of the first event. */
  first: number;
  events: number;
  accepted: number;
}

/** Applies all loads concurrently, each at its own rate. */
async function applyModel(
  deployment: Deployment,
  { size, keys, opened, usages, spread, isPeak, seconds, sent }: WindowOptions,
): Promise<Window> {
  const { harness, pods } = deployment;
  const keyOf = (project: number) => ({ Authorization: `Bearer ${keys[project]}` });
  const times = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, i) => make(i));
  const person = () => randomPerson(size.people, spread);
  /** Half of the requests of people with several ids have the id from before they were identified. */
  const idOf = (one: number) =>
    one < size.joinedPeople && Math.random() < 0.5 ? anonymousId(one) : personId(one);
  const token = await harness.mint({ sub: MEMBER });
  const plans: Record<Load, { service: Service; requests: LoadRequest[]; perRequest: number }> = {
    events: {
      service: 'ingestion',
      perRequest: EVENTS_PER_REQUEST,
      requests: times(DIFFERENT_BODIES, () => {
        const one = person();
        const headers = keyOf(projectOf(one, size.projects));
        return { path: '/v1/events', body: bodyOf(idOf(one), EVENTS_PER_REQUEST), headers };
      }),
    },
    evaluations: {
      service: 'flags',
      perRequest: 1,
      requests: times(DIFFERENT_REQUESTS, () => {
        const one = person();
        const headers = keyOf(projectOf(one, size.projects));
        return { path: `/v1/flags?distinct_id=${idOf(one)}`, headers };
      }),
    },
    turns: {
      service: 'messenger',
      perRequest: 1,
      requests: opened.map(({ path, project, token: conversation }) => ({
        path,
        body: JSON.stringify({ body: TURN }),
        headers: { ...keyOf(project), 'X-Service-Conversation-Token': conversation },
      })),
    },
    questions: {
      service: 'analytics',
      perRequest: 1,
      requests: times(100, (index) => ({
        path: `/v1/projects/${projectId(projectOf(person(), size.projects))}/insights`,
        body: JSON.stringify(question(index)),
        headers: { Authorization: `Bearer ${token}` },
      })),
    },
  };
  const loads: Partial<Window['loads']> = {};
  const cores = await coresDuring(usages, seconds, () =>
    Promise.all(
      LOADS.map(async (load) => {
        const { service, requests, perRequest } = plans[load];
        const result = await applyLoad({
          port: pods[service].port,
          headers: {},
          connections: CONNECTIONS,
          seconds,
          perSecond: rateOf(load, isPeak) / perRequest,
          requests,
          ...(load === 'events' ? { placeholder: NUMBER, firstNumber: sent.first + sent.events } : {}),
        });
        const done = countOf(result, isSuccess) * perRequest;
        const failures = Object.entries(result.statuses).filter(([status]) => !isSuccess(Number(status)));
        if (load === 'events') {
          sent.events += countOf(result) * perRequest;
          sent.accepted += done;
        }
        const { p50, p99 } = result.latency;
        loads[load] = { done, failures: Object.fromEntries(failures), p50, p99 };
      }),
    ),
  );
  return { seconds, cores, loads: loads as Window['loads'] };
}

/** Returns a query over the last 30 days, each with a different event or breakdown. */
function question(index: number): object {
  const day = (back: number) => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10);
  const event = EVENT_NAMES[index % EVENT_NAMES.length];
  const range = { from: day(31), to: day(1) };
  if (index % 2 === 0) return { kind: 'trends', range, series: [{ event }] };
  return { kind: 'trends', range, series: [{ event, measure: 'people' }], breakdown: { property: 'plan' } };
}

/** Resolves once every event on the log is archived. */
async function archived({ logEnv }: Deployment['harness']): Promise<void> {
  if (!('KAFKA_BROKERS' in logEnv)) return;
  const log = openKafkaLog({ brokers: logEnv.KAFKA_BROKERS.split(','), clientId: 'bench' });
  try {
    await eventually(
      async () => {
        const lags = await log.lag('archive.events', ['events']);
        if (lags.some(({ behind }) => behind > 0n)) throw new Error('events are not archived yet');
      },
      { withinMs: 300_000 },
    );
  } finally {
    await log.close();
  }
}

async function eventsIn(sql: ReturnType<Deployment['sql']>): Promise<number> {
  const [row] = await sql`select coalesce(sum(events), 0)::float8 as events from event_segments`;
  return row?.['events'];
}
