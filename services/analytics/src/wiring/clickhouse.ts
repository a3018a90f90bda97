import type { ExpiringData } from '@switchboard/database';
import { openClickHouse, pingClickHouse } from '../clickhouse/client.ts';
import { expiringEvents, expiringPeople } from '../clickhouse/expiring.ts';
import { migrateClickHouse } from '../clickhouse/migrations.ts';
import { createClickhousePeopleStore } from '../clickhouse/people-store.ts';
import { createClickhouseStore } from '../clickhouse/store.ts';
import { createClickhouseSink } from '../clickhouse-sink/consumer.ts';
import { createSinkMetrics } from '../clickhouse-sink/metrics.ts';
import { SINK_SETTINGS, type SinkSettings } from '../clickhouse-sink/partition.ts';
import { createClickhouseSinkStore } from '../clickhouse-sink/store.ts';
import type { Analytics } from '../config.ts';
import { createPeopleSyncConsumer } from '../people-sync/consumer.ts';
import { peopleFills } from '../people-sync/fill.ts';
import { createPeopleSync } from '../people-sync/people-sync.ts';
import { createPeopleSyncStore } from '../people-sync/store.ts';

import { runBackfills } from './backfills.ts';

export type ClickHouseStores = NonNullable<ReturnType<typeof openClickHouseStores>>;

/** Opens ClickHouse, and migrates it where it is used. Returns undefined if the settings name none. */
export function openClickHouseStores({ add, app, config, metrics, serves }: Analytics) {
  if (config.CLICKHOUSE_URL === undefined) return undefined;
  const client = openClickHouse(config.CLICKHOUSE_URL);
  const isUsed = serves || config.ROLES.has('clickhouse');
  add(client, {
    start: async () => void (isUsed && (await migrateClickHouse(client))),
    stop: () => client.close(),
  });
  const ping = () => pingClickHouse(client);
  app.health.add('clickhouse', ping);
  metrics.dependency('clickhouse', ping);
  return { client, events: createClickhouseStore(client), people: createClickhousePeopleStore(client) };
}

interface Work {
  clickHouse: ClickHouseStores | undefined;
  expiring: ExpiringData[];
  /** Replaces settings of the sink. */
  sink: Partial<SinkSettings> | undefined;
}

/** Runs the work of the role `clickhouse`: inserts events and people. Does nothing without ClickHouse. */
export function runClickHouse(service: Analytics, { clickHouse, expiring, sink }: Work): void {
  const { config, db, run } = service;
  const metrics = createSinkMetrics(service.metrics);
  runBackfills(service, async () => (clickHouse === undefined ? [] : peopleFills(clickHouse.people)));
  if (clickHouse === undefined) return;
  const store = createPeopleSyncStore(db);
  run(
    createPeopleSyncConsumer({
      ...service,
      store,
      peopleSync: createPeopleSync({ store, clickHouse: clickHouse.people }),
    }),
    createClickhouseSink({
      ...service,
      store: clickHouse.events,
      blocks: createClickhouseSinkStore(db),
      metrics,
      settings: { ...SINK_SETTINGS, ...sink },
    }),
  );
  expiring.push(
    ...expiringEvents(clickHouse.events, config.ARCHIVE_RETENTION_DAYS),
    ...expiringPeople(clickHouse.people, config.PEOPLE_RETENTION_DAYS),
  );
}
