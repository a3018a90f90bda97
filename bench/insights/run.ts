import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import {
  ARCHIVE_FILES_TOPIC,
  type ArchiveFileRecord,
  COHORTS_TOPIC,
  ingestionTopics,
} from '@switchboard/contracts';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { type EventLog, openPostgresLog } from '@switchboard/event-log';
import { call, eventually, processUsage, startClickHouse } from '@switchboard/testkit';
import { median } from '../lib/median.ts';
import { HEAP_FLAGS, startRig } from '../lib/rig.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { DAY_MS, FIRST_DAY, generateFiles, LARGE, smallProject } from './files.ts';
import { type BenchQuestion, questionsOver } from './questions.ts';

const FILES_GROUP = 'analytics.archive-files';
const CLICKHOUSE_GROUP = 'analytics.clickhouse';
const AT_ONCE = 10;

/**
 * Asks analytics a question of each kind over generated files, beside SQL written by hand for plain DuckDB over the
 * same files with the same memory and threads. Cold: first asked, with the copies of the files still to make; by hand,
 * a new engine. Warm: after that, each time with a newer file or event, so that nothing is answered from a cache. With
 * `--engine clickhouse` analytics asks ClickHouse, into which the same files are read.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      events: { type: 'string', default: '10000000' },
      days: { type: 'string', default: '90' },
      projects: { type: 'string', default: '1000' },
      memory: { type: 'string', default: '500' },
      runs: { type: 'string', default: '3' },
      engine: { type: 'string', default: 'duckdb' },
    },
  });
  const days = Number(values.days);
  const memoryBytes = Number(values.memory) * 1_000_000;
  const { rig, stop } = await startRig({ durable: false });
  const log = openPostgresLog({ url: rig.logUrl });
  rig.defer(() => log.close());
  const clickHouse = values.engine === 'clickhouse' ? await startClickHouse() : undefined;
  if (values.engine === 'clickhouse' && clickHouse === undefined) {
    throw new Error('ClickHouse is missing: run deploy/backings/install.sh clickhouse');
  }
  try {
    const folder = `${rig.env['OBJECTS_FOLDER']}`;
    const runs = Number(values.runs);
    const questions = questionsOver(days);
    const { records, bytes, newer } = await generateFiles({
      folder,
      events: Number(values.events),
      days,
      projects: Number(values.projects),
      newer: questions.length * runs + 1,
    });
    console.log(`${records.length} files, ${thousands(bytes / 1e6)} MB`);
    const topic = { partitions: 1, replication: 1 };
    await log.createTopics([
      { ...topic, name: ARCHIVE_FILES_TOPIC, cleanup: 'compact', deadLetter: false },
      { ...topic, name: COHORTS_TOPIC, cleanup: 'compact', deadLetter: false },
      ...Object.values(ingestionTopics).map((name) => ({ ...topic, name, cleanup: 'delete' as const })),
    ]);
    const directory = await createDirectoryPublisher(log);
    for (const id of [LARGE, smallProject(1)]) await directory.putProject({ id, members: ['ada'] });
    const service = await rig.spawn('analytics', {
      flags: HEAP_FLAGS,
      env: {
        QUERY_FOLDER: join(rig.folder, 'queries'),
        QUERY_MEMORY_BYTES: String(memoryBytes),
        QUERY_TIMEOUT_MS: '40000',
        LOG_LEVEL: 'fatal',
        ...(clickHouse === undefined ? {} : { CLICKHOUSE_URL: clickHouse.url, CLICKHOUSE_INSERT_MS: '20' }),
      },
      output: 'inherit',
    });
    if (clickHouse === undefined) await publish(log, records);
    else await fill(clickHouse.url, folder);
    let sent = 0;
    const renew = () =>
      clickHouse === undefined ? publish(log, newer.splice(0, 1)) : publishEvent(log, `newer-${sent++}`);
    const token = await rig.mint({ sub: 'ada' });
    const ask = async ({ project, body, name }: BenchQuestion) => {
      const began = performance.now();
      const answer = await call('POST', `${service.url}/v1/projects/${project}/insights`, { token, body });
      if (answer.status === 503) return undefined;
      if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
      return performance.now() - began;
    };
    await eventually(() => call('GET', `${service.url}/v1/projects/${LARGE}/event-names`, { token }));
    const byHand = handOf(records, folder, memoryBytes);
    const usage = processUsage(service.pid);
    const rows: string[][] = [];
    for (const question of questions) {
      const cold = await ask(question);
      const turns: (number | undefined)[] = [];
      for (let turn = 0; turn < runs; turn++) {
        await renew();
        turns.push(await ask(question));
      }
      const warm = turns.includes(undefined) ? undefined : median(turns.filter((one) => one !== undefined));
      const hand = await byHand(question, runs);
      rows.push([
        question.name,
        shown(cold),
        shown(warm),
        thousands(hand.cold),
        thousands(hand.warm),
        warm === undefined ? '' : decimals(warm / hand.warm, 2),
      ]);
    }
    printTable(['question', 'cold ms', 'warm ms', 'by hand, cold', 'by hand, warm', 'warm / by hand'], rows);
    await renew();
    const mix = Array.from({ length: AT_ONCE }, (_, index) => questions[index % questions.length]);
    const took = await Promise.all(
      mix.flatMap((question, index) =>
        question === undefined
          ? []
          : [ask({ ...question, body: { ...question.body, timezone: zoneOf(index) } })],
      ),
    );
    const slowest = slowestOf(took);
    const outcome =
      slowest === undefined ? 'at least one got 503' : `the slowest after ${thousands(slowest)} ms`;
    console.log(`${AT_ONCE} questions at once: ${outcome}`);
    console.log(`peak memory of the process: ${thousands(await usage.peakMb())} MB`);
    await service.stop();
  } finally {
    await clickHouse?.stop();
    await stop();
  }
}

/** 503: the question took longer than it may. */
const shown = (ms: number | undefined) => (ms === undefined ? '503' : thousands(ms));
const slowestOf = (took: readonly (number | undefined)[]) =>
  took.includes(undefined) ? undefined : Math.max(...took.filter((one) => one !== undefined));

/** Questions that are asked twice in the mix differ. */
const zoneOf = (index: number) => (index < 7 ? 'UTC' : 'Europe/Berlin');

/** Publishes files, and waits until the service knows them. */
async function publish(log: EventLog, records: readonly ArchiveFileRecord[]): Promise<void> {
  const sent = records.map((record) => ({
    partition: 0,
    key: record.key,
    value: Buffer.from(JSON.stringify(record)),
    headers: {},
  }));
  await log.publish(ARCHIVE_FILES_TOPIC, sent);
  await isRead(log, FILES_GROUP, ARCHIVE_FILES_TOPIC);
}

async function isRead(log: EventLog, group: string, topic: string): Promise<void> {
  await eventually(
    async () => {
      const lags = await log.lag(group, [topic]);
      if (lags.length === 0 || lags.some(({ behind }) => behind > 0n)) throw new Error('not read yet');
    },
    { withinMs: 60_000 },
  );
}

/** Analytics looks once a second how far the consumer is. */
const LOOK_MS = 1500;

/** Publishes an event of the large project before the range of the questions, and waits until the service knows it. */
async function publishEvent(log: EventLog, id: string): Promise<void> {
  const at = new Date(FIRST_DAY - DAY_MS).toISOString();
  const event = { event_id: id, event_name: 'seen', distinct_id: 'newer', schema_version: 1 };
  await log.publish(ingestionTopics.events, [
    {
      partition: 0,
      key: LARGE,
      value: Buffer.from(JSON.stringify({ ...event, timestamp: at, occurred_at: at })),
      headers: { project: LARGE, received_at: at },
    },
  ]);
  await isRead(log, CLICKHOUSE_GROUP, ingestionTopics.events);
  await setTimeout(LOOK_MS);
}

const COLUMNS = `project_id, event_id, event_name, distinct_id, session_id, schema_version, occurred_at, received_at,
  sent_at, timestamp, properties, context, log_partition, log_offset, log_line`;

/** Reads the files into the table that analytics has made. */
async function fill(url: string, folder: string): Promise<void> {
  const { origin, username, password } = new URL(url);
  const Authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const query = `insert into events (${COLUMNS}) select ${COLUMNS}
    from file('${join(folder, 'events')}/*/{project,bucket}*.parquet', 'Parquet')`;
  const answer = await fetch(origin, { method: 'POST', body: query, headers: { Authorization } });
  if (!answer.ok) throw new Error(await answer.text());
}

function handOf(records: readonly ArchiveFileRecord[], folder: string, memoryBytes: number) {
  return async ({ byHand, project }: BenchQuestion, runs: number) => {
    const instance = await DuckDBInstance.create(':memory:', {
      threads: '2',
      memory_limit: `${memoryBytes}B`,
      temp_directory: join(folder, '..', 'spill'),
      preserve_insertion_order: 'false',
    });
    const connection = await instance.connect();
    const own = records.filter((record) => record.project === null || record.project === project);
    const paths = own.map(({ key }) => `'${join(folder, key)}'`).join(', ');
    const timed = async () => {
      const began = performance.now();
      await connection.runAndReadAll(byHand.replaceAll('FILES', `read_parquet([${paths}])`));
      return performance.now() - began;
    };
    const cold = await timed();
    const warm: number[] = [];
    for (let turn = 0; turn < runs; turn++) warm.push(await timed());
    connection.closeSync();
    instance.closeSync();
    return { cold, warm: median(warm) };
  };
}
