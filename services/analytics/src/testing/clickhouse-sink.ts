import { randomUUID } from 'node:crypto';
import type { ClickHouseClient } from '@clickhouse/client';
import { ingestionTopics } from '@switchboard/contracts';
import { type Database, openDatabase } from '@switchboard/database';
import {
  type BackgroundConsumer,
  type EventLog,
  openPostgresLog,
  type RecordBatch,
} from '@switchboard/event-log';
import { createLogger, createMetrics } from '@switchboard/runtime';
import { clickHouseDatabase, eventually, testDatabase } from '@switchboard/testkit';
import { openClickHouse } from '../clickhouse/client.ts';
import { migrateClickHouse } from '../clickhouse/migrations.ts';
import { type ClickhouseStore, createClickhouseStore } from '../clickhouse/store.ts';
import { CLICKHOUSE_GROUP, createClickhouseSink } from '../clickhouse-sink/consumer.ts';
import { createSinkMetrics } from '../clickhouse-sink/metrics.ts';
import type { SinkSettings } from '../clickhouse-sink/partition.ts';
import { createClickhouseSinkStore } from '../clickhouse-sink/store.ts';
import { analyticsMigrations } from '../schema/migrations.ts';

/** For tests: the consumer that inserts into ClickHouse, with its own log and database. */

export const PARTITIONS = 2;

/** Overrides of the default settings. */
interface Changed {
  settings?: Partial<SinkSettings>;
  store?: Partial<ClickhouseStore>;
  commit?: RecordBatch['commit'];
}

export interface SinkHarness {
  log: EventLog;
  client: ClickHouseClient;
  store: ClickhouseStore;
  start(changed?: Changed): BackgroundConsumer;
  /** Publishes one record of events that differ only in their ids. */
  publish(ids: readonly string[], more?: Published): Promise<void>;
  /** Waits until everything published is committed. */
  settled(): Promise<void>;
  /** Returns the ids of the events in ClickHouse, in order. */
  ids(): Promise<string[]>;
  rows(query: string): Promise<Record<string, unknown>[]>;
  /** Stops the sinks, and begins a new project. `ids` then returns only the events of that project. */
  reset(): Promise<void>;
  stop(): Promise<void>;
  /** The project of `publish`. */
  readonly project: string;
}

interface Published {
  partition?: number;
  project?: string;
  event?: object;
  /** Lines to publish instead of events. */
  lines?: readonly string[];
}

const SOON: SinkSettings = { blockBytes: 1_000_000, blockAgeMs: 20, bufferBytes: 10_000_000 };

/** Returns undefined if ClickHouse is not installed. */
export async function startSinkHarness(): Promise<SinkHarness | undefined> {
  const clickHouse = await clickHouseDatabase();
  if (clickHouse === undefined) return undefined;
  const client = openClickHouse(clickHouse.url);
  await migrateClickHouse(client);
  const own = await testDatabase({ migrations: [analyticsMigrations] });
  const database: Database = openDatabase({ url: own.url, applicationName: 'test' });
  const log = openPostgresLog({ url: own.url });
  await log.createTopics([
    { name: ingestionTopics.events, partitions: PARTITIONS, replication: 1, cleanup: 'delete' },
  ]);
  const store = createClickhouseStore(client);
  let sinks: BackgroundConsumer[] = [];
  let project = randomUUID();

  async function stopSinks() {
    await Promise.all(sinks.map((sink) => sink.stop()));
    sinks = [];
  }

  return {
    log,
    client,
    store,
    rows: clickHouse.query,
    get project() {
      return project;
    },
    async reset() {
      await stopSinks();
      project = randomUUID();
    },
    start({ settings = {}, store: other = {}, commit } = {}) {
      const sink = createClickhouseSink({
        store: { ...store, ...other },
        blocks: createClickhouseSinkStore(database.drizzle),
        log: {
          consume: (options) =>
            log.consume({
              ...options,
              retryMaxMs: 200,
              handle: (batch) => options.handle(commit === undefined ? batch : { ...batch, commit }),
            }),
        },
        logger: createLogger({ service: 'analytics', level: 'fatal' }),
        metrics: createSinkMetrics(createMetrics('analytics')),
        settings: { ...SOON, ...settings },
      });
      sinks.push(sink);
      sink.start();
      return sink;
    },
    async publish(ids, { partition = 0, project: of = project, event = {}, lines } = {}) {
      const at = '2026-03-01T10:00:00.000Z';
      const events = ids.map((id) =>
        JSON.stringify({
          event_id: id,
          event_name: 'seen',
          distinct_id: 'ada',
          schema_version: 1,
          timestamp: at,
          occurred_at: at,
          ...event,
        }),
      );
      const value = Buffer.from((lines ?? events).join('\n'));
      const headers = { project: of, received_at: '2026-03-01T10:00:01.000Z' };
      await log.publish(ingestionTopics.events, [{ partition, key: of, value, headers }]);
    },
    settled: () =>
      eventually(async () => {
        const lags = await log.lag(CLICKHOUSE_GROUP, [ingestionTopics.events]);
        if (lags.length === 0 || lags.some(({ behind }) => behind > 0n)) throw new Error('not inserted yet');
      }),
    async ids() {
      const all = await clickHouse.query(
        `select event_id from events where project_id = '${project}' order by event_id`,
      );
      return all.map(({ event_id }) => String(event_id));
    },
    async stop() {
      await stopSinks();
      await log.close();
      await database.close();
      await own.drop();
      await client.close();
      await clickHouse.drop();
    },
  };
}
