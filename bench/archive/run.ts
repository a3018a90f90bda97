import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDatabase } from '@switchboard/database';
import { startPostgres } from '@switchboard/embedded-postgres';
import { type EventLog, openKafkaLog } from '@switchboard/event-log';
import { openObjectStore } from '@switchboard/object-store';
import { freePort, startKafka } from '@switchboard/testkit';
import { eventBodies, NUMBER } from '../ingestion/bodies.ts';
import { startServer } from '../lib/process.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';

const PARTITIONS = 4;
const EVENTS_A_RECORD = 250;
const GROUP = 'archive.events';

/**
 * How fast the event archive takes in a topic that is full already: a process with the role events alone, on
 * Kafka, PostgreSQL and a folder, from its start until it has committed everything.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      events: { type: 'string', default: '400000' },
      projects: { type: 'string', default: '1' },
      profile: { type: 'string' },
    },
  });
  const count = Number(values.events);
  const kafka = await startKafka();
  if (kafka === undefined) throw new Error('There is no Kafka: run deploy/backings/install.sh kafka.');
  const home = await mkdtemp(join(tmpdir(), 'bench-archive-'));
  const postgres = await startPostgres({ directory: join(home, 'postgres'), databases: ['archive'] });
  const log = openKafkaLog({ brokers: kafka.brokers, clientId: 'bench' });
  try {
    await fill(log, count, Number(values.projects));
    const service = await startServer({
      script: join(import.meta.dirname, '../../services/archive/src/main.ts'),
      port: await freePort(),
      readyPath: '/health/live',
      flags: ['--max-semi-space-size=16', ...profiling(values.profile)],
      env: {
        HOST: '127.0.0.1',
        LOG_LEVEL: 'warn',
        REGION: 'eu',
        AUTH_ISSUER: 'http://127.0.0.1:9',
        AUTH_AUDIENCE: 'switchboard',
        AUTH_JWKS_URL: 'http://127.0.0.1:9/jwks.json',
        CONSOLE_URL: 'http://127.0.0.1:9',
        DATABASE_URL: postgres.url('archive'),
        KAFKA_BROKERS: kafka.brokers.join(','),
        TOPIC_PARTITIONS: String(PARTITIONS),
        ROLES: 'events',
        OBJECTS_FOLDER: join(home, 'objects'),
        ARCHIVE_FILE_SECONDS: '10',
      },
    });
    const began = performance.now();
    while (!(await isDone(log))) await sleep(50);
    const seconds = (performance.now() - began) / 1000;
    const cpu = await service.cpuSeconds();
    const peak = await service.peakMb();
    await service.stop();
    const stored = await sizes(join(home, 'objects'), postgres.url('archive'));
    printTable(
      ['events', 'events/s', 'CPU us/event', 'peak RSS MB', 'files', 'bytes/event in PostgreSQL'],
      [
        [
          thousands(count),
          thousands(count / seconds),
          decimals((cpu * 1e6) / count),
          decimals(peak, 0),
          thousands(stored.files),
          decimals(stored.databaseBytes / count, 0),
        ],
      ],
    );
  } finally {
    await log.close();
    await postgres.stop();
    await kafka.stop();
    await rm(home, { recursive: true, force: true });
  }
}

const profiling = (folder: string | undefined) =>
  folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];

async function isDone(log: EventLog): Promise<boolean> {
  // Kafka refuses until it has made its topic of offsets.
  const lags = await log.lag(GROUP, ['events']).catch(() => undefined);
  return lags?.every(({ behind }) => behind === 0n) ?? false;
}

/** Records as ingestion makes them of batches, with an event_id of its own each. */
async function fill(log: EventLog, count: number, projects: number): Promise<void> {
  await log.createTopics([{ name: 'events', partitions: PARTITIONS, replication: 1, cleanup: 'delete' }]);
  const lines = eventBodies(EVENTS_A_RECORD, 20).map((body): string[] => {
    const { events }: { events: object[] } = JSON.parse(body);
    return events.map((event) => JSON.stringify({ ...event, occurred_at: new Date().toISOString() }));
  });
  for (let number = 0, record = 0; number < count; record++) {
    const value = (lines[record % lines.length] ?? [])
      .slice(0, count - number)
      .map((line) => line.replace(NUMBER, String(number++).padStart(NUMBER.length, '0')))
      .join('\n');
    const project = `project-${record % projects}`;
    const headers = { project, received_at: new Date().toISOString(), sent_at: new Date().toISOString() };
    await log.publish('events', [
      { partition: record % PARTITIONS, key: project, value: Buffer.from(value), headers },
    ]);
  }
}

async function sizes(folder: string, url: string) {
  let files = 0;
  for await (const _ of openObjectStore({ folder }).list('events/')) files += 1;
  const database = openDatabase({ url, applicationName: 'bench' });
  const [row] = await database.sql<{ bytes: number | bigint }[]>`
    select pg_total_relation_size('seen_events') as bytes`;
  await database.close();
  return { files, databaseBytes: Number(row?.bytes ?? 0) };
}
