import { setTimeout as sleep } from 'node:timers/promises';
import { openKafkaLog } from '@switchboard/event-log';
import { eventually, type ProcessUsage, processUsage } from '@switchboard/testkit';
import { bodyOf, NUMBER } from '../ingestion/bodies.ts';
import { DAY_MS } from '../insights/files.ts';
import { applyLoad, countOf, isSuccess, type LoadRequest } from '../lib/load.ts';
import { type Deployment, deploy, MEMBER, SERVICES, type Service } from './deployment.ts';
import { EVENT_NAMES, type StoredFile, writeFiles } from './files.ts';
import { fill, type Opened, TURN } from './fill.ts';
import {
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

/** What an SDK sends at a time. */
const EVENTS_PER_REQUEST = 10;
const DIFFERENT_REQUESTS = 5_000;
const DIFFERENT_BODIES = 1_000;
const CONNECTIONS = 16;
const IDLE_SECONDS = 10;

export interface Options {
  /** Of each peak; the average lasts three times as long. */
  seconds: number;
  /** ARCHIVE_FILE_SECONDS. */
  fileSeconds: number;
  /** Default: those of the model. */
  partitions?: number;
}

/** What a load did in a window, and what it took. */
export interface Window {
  seconds: number;
  /** CPUs in use, by service. */
  cores: Record<Service, number>;
  loads: Record<Load, { done: number; failed: number; p50: number; p99: number }>;
}

/** What was measured at a share of the model. */
export interface Measured {
  size: Size;
  idle: Record<Service, number>;
  peaks: Record<Spread, Window>;
  average: Window;
  /** Highest resident memory in megabytes. */
  peakMb: Record<Service, number>;
  objects: Objects;
  archivedBytes: number;
  tables: Table[];
}

/** Fills a deployment with a share of the model and puts the model's load on it. */
export async function measureShare(size: Size, options: Options): Promise<Measured> {
  const note = (text: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${text}`);
  note(`${size.share * 100}% of the model: starting, with ${size.projects} projects`);
  const deployment = await deploy(size, { partitions: MODEL.partitions, ...options });
  const { rig, pods } = deployment;
  try {
    note('filling databases');
    const opened = await fill(deployment, size);
    note('writing archived events');
    const files = await writeFiles(`${rig.env['OBJECTS_FOLDER']}`, size);
    await enterFiles(deployment, files);
    const usages = new Map(SERVICES.map((name) => [name, processUsage(pods[name].pid)]));
    await settled(deployment, usages);
    note(`measuring for ${IDLE_SECONDS + 5 * options.seconds} s`);
    const sent: Sent = { events: 0, accepted: 0 };
    const idle = await coresDuring(usages, IDLE_SECONDS, () => sleep(IDLE_SECONDS * 1000));
    const window = (spread: Spread, isPeak: boolean, seconds: number) =>
      applyModel(deployment, { size, opened, usages, spread, isPeak, seconds, sent });
    const { seconds } = options;
    const since = new Date().toISOString();
    // Compiled code and open connections are not what is measured.
    await window('zipf', true, Math.min(5, seconds));
    const peaks = {
      zipf: await window('zipf', true, seconds),
      uniform: await window('uniform', true, seconds),
    };
    const average = await window('zipf', false, 3 * seconds);
    await archived(deployment, sent);
    const objects = await objectsPerDay(deployment.sql('archive'), since);
    const peakMb = await byService(async (name) => (await usages.get(name)?.peakMb()) ?? Number.NaN);
    note('reading tables');
    const tables = await readTables(deployment);
    const archivedBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
    for (const name of SERVICES) if (!pods[name].isRunning) throw new Error(`${name} ended`);
    return { size, idle, peaks, average, peakMb, objects, archivedBytes, tables };
  } catch (error) {
    for (const name of SERVICES) console.error(name, pods[name].lines.slice(-3).join('\n'));
    throw error;
  } finally {
    await deployment.stop();
  }
}

async function byService<T>(of: (name: Service) => Promise<T>): Promise<Record<Service, T>> {
  const entries = await Promise.all(SERVICES.map(async (name) => [name, await of(name)] as const));
  return Object.fromEntries(entries) as Record<Service, T>;
}

/** As the archive enters files that it has merged; it publishes them, and analytics follows. */
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
    if (row?.['count'] < files.length) throw new Error(`analytics knows ${row?.['count']} files`);
  };
  await eventually(known, { withinMs: 300_000 });
}

type Usages = ReadonlyMap<Service, ProcessUsage>;

const SETTLED_CORES = 0.15;

/** Until every service has applied what it was given. */
async function settled({ keys, pods }: Deployment, usages: Usages): Promise<void> {
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

/** The CPUs that each service uses during some work. */
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
  opened: readonly Opened[];
  usages: Usages;
  spread: Spread;
  isPeak: boolean;
  seconds: number;
  sent: Sent;
}

/** Events of all windows so far. */
interface Sent {
  events: number;
  accepted: number;
}

/** All loads at once, each at its rate. */
async function applyModel(
  deployment: Deployment,
  { size, opened, usages, spread, isPeak, seconds, sent }: WindowOptions,
): Promise<Window> {
  const { rig, pods, keys } = deployment;
  const keyOf = (project: number) => ({ Authorization: `Bearer ${keys[project]}` });
  const times = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, i) => make(i));
  const person = () => randomPerson(size.people, spread);
  const token = await rig.mint({ sub: MEMBER });
  const plans: Record<Load, { service: Service; requests: LoadRequest[]; perRequest: number }> = {
    events: {
      service: 'ingestion',
      perRequest: EVENTS_PER_REQUEST,
      requests: times(DIFFERENT_BODIES, () => {
        const one = person();
        const headers = keyOf(projectOf(one, size.projects));
        return { path: '/v1/events', body: bodyOf(personId(one), EVENTS_PER_REQUEST), headers };
      }),
    },
    evaluations: {
      service: 'flags',
      perRequest: 1,
      requests: times(DIFFERENT_REQUESTS, () => {
        const one = person();
        const headers = keyOf(projectOf(one, size.projects));
        return { path: `/v1/flags?distinct_id=${personId(one)}`, headers };
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
          ...(load === 'events' ? { placeholder: NUMBER, firstNumber: sent.events } : {}),
        });
        const done = countOf(result, isSuccess) * perRequest;
        const failed = countOf(result, (status) => !isSuccess(status)) * perRequest;
        if (load === 'events') {
          sent.events += done + failed;
          sent.accepted += done;
        }
        const { p50, p99 } = result.latency;
        loads[load] = { done, failed, p50, p99 };
      }),
    ),
  );
  return { seconds, cores, loads: loads as Window['loads'] };
}

/** Of the last 30 days, each of another event or breakdown. */
function question(index: number): object {
  const day = (back: number) => new Date(Date.now() - back * DAY_MS).toISOString().slice(0, 10);
  const event = EVENT_NAMES[index % EVENT_NAMES.length];
  const range = { from: day(31), to: day(1) };
  if (index % 2 === 0) return { kind: 'trends', range, series: [{ event }] };
  return { kind: 'trends', range, series: [{ event, measure: 'people' }], breakdown: { property: 'plan' } };
}

/** Resolves once every accepted event is archived; throws if one is missing or there twice. */
async function archived({ rig, sql }: Deployment, { events, accepted }: Sent): Promise<void> {
  if (!('KAFKA_BROKERS' in rig.logEnv)) return;
  const log = openKafkaLog({ brokers: rig.logEnv.KAFKA_BROKERS.split(','), clientId: 'bench' });
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
  const [row] = await sql('archive')`select sum(events)::float8 as events from event_segments`;
  // One that was answered 503 may be stored all the same.
  const stored = row?.['events'];
  if (stored < accepted || stored > events) throw new Error(`${stored} of ${accepted} events were archived`);
}
