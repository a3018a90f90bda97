import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '@switchboard/database';
import { type EventLog, openKafkaLog } from '@switchboard/event-log';
import { openObjectStore } from '@switchboard/object-store';
import { processUsage, startKafka } from '@switchboard/testkit';
import { installed } from '../lib/backings.ts';
import { HEAP_FLAGS, heapFlagsOf, openBenchHarness, profileFlags } from '../lib/harness.ts';
import { longestBlockMs } from '../lib/longest-block.ts';
import { decimals, printTable, thousands } from '../lib/table.ts';
import { eventBodies, NUMBER } from './bodies.ts';

const EVENTS_PER_RECORD = 250;
const GROUP = 'archive.events';
/** The memory limit of the archive pod in the chart. */
const POD_MIB = 1280;
/** The poll interval in milliseconds. The measured process itself produces the metrics. */
const POLL_MS = 500;

interface ArchiveOptions {
  /** The number of events, and of projects that have them. */
  events: number;
  projects: number;
  partitions: number;
  profile: string | undefined;
}

/**
 * Measures how fast the event archive consumes a topic that is already full. One process with the role `events` runs
 * on Kafka, PostgreSQL and a folder. The measurement lasts from when the process is live until it has committed
 * everything. The last events wait ARCHIVE_FILE_SECONDS for their files, so a run with few events measures mostly
 * that wait.
 */
export async function measureArchive(options: ArchiveOptions): Promise<void> {
  const { events: count, partitions, profile } = options;
  const kafka = installed('kafka', await startKafka());
  const { harness, stop } = await openBenchHarness({
    durable: true,
    log: { kafka: kafka.brokers },
    env: { TOPIC_PARTITIONS: String(partitions), ARCHIVE_FILE_SECONDS: '10' },
  });
  const log = openKafkaLog({ brokers: kafka.brokers, clientId: 'bench' });
  try {
    await fill(log, options);
    const service = await harness.spawn('archive', {
      flags: [...HEAP_FLAGS, ...heapFlagsOf(POD_MIB), ...profileFlags(profile)],
      env: { ROLES: 'events' },
      ready: '/health/live',
      output: 'inherit',
    });
    const database = await harness.databaseUrl('archive');
    const walBefore = await walBytes(database);
    const usage = processUsage(service.pid);
    const before = await usage.cpuSeconds();
    const began = performance.now();
    let longestBlock = 0;
    while (!(await isDone(log))) {
      longestBlock = Math.max(longestBlock, await longestBlockMs(service));
      await sleep(POLL_MS);
    }
    const seconds = (performance.now() - began) / 1000;
    const cpu = (await usage.cpuSeconds()) - before;
    const peak = await usage.peakMb();
    await service.stop();
    const stored = await sizes(`${harness.env['OBJECTS_FOLDER']}`, database);
    const wal = (await walBytes(database)) - walBefore;
    printTable(
      [
        'events',
        'events/s',
        'CPU us/event',
        'peak RSS MB',
        'event loop blocked ms',
        'files',
        'bytes/event in PostgreSQL',
        'of its write-ahead log',
      ],
      [
        [
          thousands(count),
          thousands(count / seconds),
          decimals((cpu * 1e6) / count),
          decimals(peak, 0),
          decimals(longestBlock, 0),
          thousands(stored.files),
          decimals(stored.databaseBytes / count, 0),
          decimals(wal / count, 0),
        ],
      ],
    );
  } finally {
    await log.close();
    await stop();
    await kafka.stop();
  }
}

async function isDone(log: EventLog): Promise<boolean> {
  // Kafka rejects the request until its offsets topic exists.
  const lags = await log.lag(GROUP, ['events']).catch(() => undefined);
  return lags?.every(({ behind }) => behind === 0n) ?? false;
}

/** Publishes batches as ingestion does. Each event has a unique event_id. */
async function fill(log: EventLog, { events: count, projects, partitions }: ArchiveOptions): Promise<void> {
  await log.createTopics([{ name: 'events', partitions, replication: 1, cleanup: 'delete' }]);
  const lines = eventBodies(EVENTS_PER_RECORD, 20).map((body): string[] => {
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
      { partition: record % partitions, key: project, value: Buffer.from(value), headers },
    ]);
  }
}

/** Returns the total number of bytes that the server has written to its write-ahead log. */
async function walBytes(url: string): Promise<number> {
  const database = openDatabase({ url, applicationName: 'bench' });
  const [row] = await database.sql<{ bytes: string }[]>`
    select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes`;
  await database.close();
  return Number(row?.bytes);
}

async function sizes(folder: string, url: string) {
  let files = 0;
  for await (const _ of openObjectStore({ folder }).list('events/')) files += 1;
  const database = openDatabase({ url, applicationName: 'bench' });
  const [row] = await database.sql<{ bytes: number | bigint }[]>`
    select sum(pg_total_relation_size(relid)) as bytes from pg_partition_tree('seen_events')`;
  await database.close();
  return { files, databaseBytes: Number(row?.bytes ?? 0) };
}
