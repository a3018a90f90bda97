import type { Backfill, ExpiringData } from '@switchboard/database';
import { openClickHouse, pingClickHouse } from '../clickhouse/client.ts';
import { expiringEvents, expiringPeople } from '../clickhouse/expiring.ts';
import { migrateClickHouse } from '../clickhouse/migrations.ts';
import { createClickhousePeopleStore } from '../clickhouse/people-store.ts';
import { createClickhouseStore } from '../clickhouse/store.ts';
import type { Analytics } from '../config.ts';
import { createCopiesConsumer } from '../copies/consumer.ts';
import { createPeopleCopies } from '../copies/copies.ts';
import { peopleFills } from '../copies/fill.ts';
import { createCopiesStore } from '../copies/store.ts';
import { createFeed } from '../feed/consumer.ts';
import { createFeedMetrics } from '../feed/metrics.ts';
import { FEED_SETTINGS, type FeedSettings } from '../feed/partition.ts';
import { createFeedStore } from '../feed/store.ts';

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
  backfills: (() => Promise<readonly Backfill[]>)[];
  /** Replaces settings of the feed. */
  feed: Partial<FeedSettings> | undefined;
}

/** Runs the work of the role `clickhouse`: inserts events and people. Does nothing without ClickHouse. */
export function runClickHouse(service: Analytics, { clickHouse, expiring, backfills, feed }: Work): void {
  const { config, db, run } = service;
  const metrics = createFeedMetrics(service.metrics);
  if (clickHouse === undefined) return;
  const store = createCopiesStore(db);
  run(
    createCopiesConsumer({
      ...service,
      store,
      copies: createPeopleCopies({ store, clickHouse: clickHouse.people }),
    }),
    createFeed({
      ...service,
      store: clickHouse.events,
      blocks: createFeedStore(db),
      metrics,
      settings: { ...FEED_SETTINGS, ...feed },
    }),
  );
  expiring.push(
    ...expiringEvents(clickHouse.events, config.ARCHIVE_RETENTION_DAYS),
    ...expiringPeople(clickHouse.people, config.PEOPLE_RETENTION_DAYS),
  );
  backfills.push(() => peopleFills(clickHouse.people));
}
