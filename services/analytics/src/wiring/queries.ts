import { readErasedPeople, readRefreshedReports } from '@switchboard/directory';
import { createRateLimits, projectOfRegion } from '@switchboard/http';
import { createAlerts } from '../alerts/alerts.ts';
import { createEvaluator } from '../alerts/evaluator.ts';
import { createAlertsPublisher } from '../alerts/publisher.ts';
import { alertsRoutes } from '../alerts/routes.ts';
import { createCohortLists } from '../cohort-lists/cohort-lists.ts';
import { createCompute } from '../cohort-lists/compute.ts';
import { createCountPeople } from '../cohort-lists/count.ts';
import { createListedMembers } from '../cohort-lists/listed-members.ts';
import { cohortListsRoutes } from '../cohort-lists/routes.ts';
import { createCohortMembersStore } from '../cohort-members/store.ts';
import type { Analytics } from '../config.ts';
import { createDictionary } from '../dictionary/dictionary.ts';
import { dictionaryRoutes } from '../dictionary/routes.ts';
import { createFindArrival } from '../explore/arrival.ts';
import { createListEvents } from '../explore/events.ts';
import { createListNames } from '../explore/names.ts';
import { createFindPerson } from '../explore/person.ts';
import { createListProperties } from '../explore/properties.ts';
import { exploreRoutes } from '../explore/routes.ts';
import { createGroups } from '../groups/groups.ts';
import { groupsRoutes } from '../groups/routes.ts';
import { createGroupsStore } from '../groups/store.ts';
import { createInsights } from '../insights/insights.ts';
import { createListInsightPeople } from '../insights/people.ts';
import { insightsRoutes } from '../insights/routes.ts';
import { createLiveEvents } from '../live-events/live-events.ts';
import { liveEventsRoutes } from '../live-events/routes.ts';
import { openStreams } from '../live-events/streams.ts';
import { createPeople } from '../people/people.ts';
import { createPeopleStore } from '../people/store.ts';
import { createListPeople } from '../people-list/people-list.ts';
import { peopleListRoutes } from '../people-list/routes.ts';
import { createPeopleListStore } from '../people-list/store.ts';
import { createPersonsStore } from '../persons/store.ts';
import { createQueryQueue, QUERY_LIMITS, type QueryLimits } from '../query-queue/query-queue.ts';
import { createRejectionsStore } from '../rejections/store.ts';
import { createRespond, QUERIES_PER_MINUTE } from '../results/respond.ts';
import { createResults } from '../results/results.ts';
import { createRunRequestsConsumer } from '../saved-reports/requests-consumer.ts';
import { savedReportsRoutes } from '../saved-reports/routes.ts';
import { createReportRunner } from '../saved-reports/run.ts';
import { createSavedReports } from '../saved-reports/saved-reports.ts';
import { createSavedReportsStore } from '../saved-reports/store.ts';
import { createSeenStore } from '../seen/store.ts';
import { sqlQueriesRoutes } from '../sql-queries/routes.ts';
import { createRunSql } from '../sql-queries/sql-queries.ts';
import { createCompare } from '../watched-cohorts/compare.ts';
import { createCohortWatcher } from '../watched-cohorts/watcher.ts';
import { createWatchedPeopleStore } from '../watched-people/store.ts';
import { createWatermark } from '../watermark/watermark.ts';
import { wireUsageRoutes } from '../wire-usage/routes.ts';
import { createWireUsageStore } from '../wire-usage/store.ts';
import { createListWireUsage } from '../wire-usage/wire-usage.ts';
import type { ClickHouseStores } from './clickhouse.ts';
import { openFiles, openTables } from './engine.ts';

const RESULTS_BYTES = 16_000_000;
/** Separate, so that listing events does not evict reports. */
const LISTS_BYTES = 8_000_000;

/** Constants of queries that tests replace. */
export interface QueryConstants {
  queryLimits?: Partial<QueryLimits>;
  queriesPerMinute?: number;
}

/** Opens insights, lists of events and people, and saved reports. */
export function openQueries(
  service: Analytics,
  clickHouse: ClickHouseStores | undefined,
  constants: QueryConstants,
): void {
  const limits = { ...QUERY_LIMITS, ...constants.queryLimits };
  const { app, clock, config, db, directory, metrics, region, run, share } = service;
  const { stored, sql, ...opened } =
    clickHouse === undefined ? openFiles(service) : openTables(service, clickHouse, limits);
  const watermark = createWatermark({ ...service, stored });
  const queue = createQueryQueue({
    ...opened,
    ...limits,
  });
  // Separate, so that SQL queries wait for each other only. One runs at a time.
  const sqlQueue = createQueryQueue({ ...opened, ...limits, maxRunning: 1 });
  const lists = createResults({ cacheBytes: LISTS_BYTES });
  const results = createResults({ cacheBytes: RESULTS_BYTES });
  metrics.cache('insights', results.reads);
  metrics.cache('event lists', lists.reads);

  const exploring = { queue, results: lists, watermark, clock };
  const persons = createPersonsStore(db);
  const events = createListEvents({ ...exploring, persons });
  const store = createPeopleStore(db);
  const people = createPeople(store);
  const listsStore = createCohortMembersStore(db);
  const listed = createListedMembers({ store: listsStore, engine: opened.engine });
  const insights = createInsights({ queue, results, people, listed, watermark, clock });
  const savedReportsStore = createSavedReportsStore(db);
  const savedReports = createSavedReports({
    ...service,
    store: savedReportsStore,
    runner: createReportRunner({ directory, insights, region, clock }),
    scheduled: (after) => readRefreshedReports(db, after),
  });
  const compute = createCompute({ queue, engine: opened.engine, knownIds: listsStore.knownIds, clock });
  const cohortLists = createCohortLists({ ...service, store: listsStore, compute: compute.lists });
  const watches = createWatchedPeopleStore(db);
  const { knownIds } = listsStore;
  const compare = createCompare({ ...opened, queue, store, listed, knownIds, storedPeople: watches.people });
  const watcher = createCohortWatcher({ ...service, store: watches, compare });
  metrics.gaugeBy(
    'switchboard_watched_cohorts_failed',
    'Cohorts of webhooks that could not be compared with their members before.',
    [],
    async () => [{ labels: {}, value: await watches.failed() }],
  );
  const live = createLiveEvents({ ...service, stored, erased: () => readErasedPeople(db) });
  const streams = openStreams(service);
  service.add(streams, { stop: streams.close });
  const evaluator = createEvaluator({ ...service, insights, watermark });
  const requests = createRunRequestsConsumer({
    ...service,
    store: savedReportsStore,
    replication: config.TOPIC_REPLICATION,
  });
  run(
    watermark,
    savedReports,
    requests,
    cohortLists,
    watcher,
    live,
    evaluator,
    createAlertsPublisher(service),
  );

  const respond = createRespond({
    bodies: app.bodies,
    createRateLimit: createRateLimits(undefined, share),
    queriesPerMinute: constants.queriesPerMinute ?? QUERIES_PER_MINUTE * config.RATE_LIMITS_MULTIPLIER,
  });
  const peopleList = createPeopleListStore(db);
  insightsRoutes(app, {
    insights,
    people: createListInsightPeople({ insights, store: peopleList }),
    respond,
  });
  sqlQueriesRoutes(app, {
    run: createRunSql({ queue: sqlQueue, results: lists, watermark, clock, engine: sql }),
    respond,
  });
  const rejections = createRejectionsStore(db);
  const usageStore = createWireUsageStore(db);
  wireUsageRoutes(app, createListWireUsage({ store: usageStore, rejections, directory, clock }));
  exploreRoutes(app, {
    arrival: createFindArrival({ ...exploring, seen: createSeenStore(db) }),
    rejections,
    clock,
    events,
    names: createListNames(exploring),
    properties: createListProperties(exploring),
    person: createFindPerson({ store, lists: listsStore, persons, events }),
    respond,
  });
  liveEventsRoutes(app, { live, streams, persons });
  peopleListRoutes(app, { list: createListPeople({ store: peopleList, people: store, lists: listsStore }) });
  groupsRoutes(app, createGroups({ store: createGroupsStore(db), people: peopleList }));
  const ofProject = projectOfRegion(directory, region);
  savedReportsRoutes(app, { savedReports, ofProject });
  const alerts = createAlerts({ db, clock });
  alertsRoutes(app, { alerts, insights, results: lists, watermark, clock, respond, ofProject });
  cohortListsRoutes(app, {
    cohortLists,
    count: createCountPeople({ compute, results, watermark, deadline: queue.deadline }),
    respond,
    ofProject,
  });
  dictionaryRoutes(app, { dictionary: createDictionary({ db, directory }), ofProject });
}
