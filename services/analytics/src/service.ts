import { auditMigrations } from '@switchboard/audit';
import type { ExpiringData } from '@switchboard/database';
import { directoryMigrations } from '@switchboard/directory';
import { defineService, openAuditTrail, openReplica } from '@switchboard/http';
import { createRetention } from '@switchboard/runtime';
import type { SinkSettings } from './clickhouse-sink/partition.ts';
import { analyticsSettings } from './config.ts';
import { createFilesConsumer } from './files/consumer.ts';
import { createFilesStore } from './files/store.ts';
import { removeSavedReports } from './saved-reports/store.ts';
import { analyticsMigrations } from './schema/migrations.ts';
import { openClickHouseStores, runClickHouse } from './wiring/clickhouse.ts';
import { runErasures, runPeople } from './wiring/people.ts';
import { openQueries, type QueryConstants } from './wiring/queries.ts';

/** Constants that tests replace. */
export interface AnalyticsConstants extends QueryConstants {
  sink?: Partial<SinkSettings>;
}

/** Insights, event lists, people and saved reports, from the archive's files or from ClickHouse. */
export const analyticsService = defineService({
  name: 'analytics',
  settings: analyticsSettings,
  migrations: [directoryMigrations, auditMigrations, analyticsMigrations],
  directory: openReplica(removeSavedReports),
  audit: openAuditTrail,
  create(service, { sink, ...constants }: AnalyticsConstants = {}) {
    const { app, config, database, log, run, serves } = service;
    const clickHouse = openClickHouseStores(service);
    const expiring: ExpiringData[] = [];
    /** Read once the tables exist. */

    runErasures(service, clickHouse);
    if (config.ROLES.has('files')) {
      run(createFilesConsumer({ ...service, store: createFilesStore(database.prepared) }));
    }
    if (config.ROLES.has('people')) runPeople(service, expiring);
    if (config.ROLES.has('clickhouse')) runClickHouse(service, { clickHouse, expiring, sink });
    if (expiring.length > 0) run(createRetention({ ...service, data: expiring }));

    app.health.add('database', database.ping);
    if (serves) openQueries(service, clickHouse, constants);
    else app.health.add('event log', () => log.ping());
  },
});
