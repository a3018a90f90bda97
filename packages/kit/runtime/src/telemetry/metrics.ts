import { byPair } from '@switchboard/engine';
import { DeadlineExceeded, type Reads, withDeadline } from '@switchboard/resilience';
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import packageJson from '../../package.json' with { type: 'json' };
import { CHECK_TIMEOUT_MS, problemOf } from './dependencies.ts';
import { Durations } from './durations.ts';
import { type ProjectLoad, projectLoad } from './project-load.ts';

export interface Metrics {
  registry: Registry;
  /** Records a finished request. The route is the path of its operation. */
  observeRequest(method: string, route: string, status: number, seconds: number): void;
  /** Records a finished request of a project. */
  observeProject(projectId: string, status: number, seconds: number): void;
  /** Records a call of a dependency. The names are labels, so use few. */
  called(dependency: string, operation: string, outcome: 'ok' | 'error', seconds: number): void;
  /** Adds `switchboard_cache_reads_total` of a cache: the reads so far, collected when metrics are scraped. */
  cache(name: string, read: () => Readonly<Reads>): void;
  /** Adds a value of this process, read when metrics are scraped. Values of several workers are added. */
  gauge(name: string, help: string, read: () => number): void;
  /**
   * Adds values by label that are the same for every instance, read when metrics are scraped. If reading fails or
   * takes longer than READING_MS, the scrape has none, and the next one has the late values. Of several workers, the
   * largest value counts.
   */
  gaugeBy(name: string, help: string, labels: string[], read: () => Promise<LabelledValue[]>): void;
  counter(name: string, help: string): { add(count?: number): void };
  /** Adds a counter by label. Values are in the order of the labels. */
  counterBy(name: string, help: string, labels: string[]): { add(values: string[], count?: number): void };
  /** Counts a failed attempt of repeated background work in `switchboard_background_errors_total`. */
  failed(task: string): void;
  /** Adds durations in seconds by label. Values are in the order of the labels. */
  durations(
    name: string,
    help: string,
    labels: string[],
    buckets?: number[],
  ): { observe(values: string[], seconds: number): void };
  /** Adds `switchboard_dependency_up`: 1 if the check succeeds within a second when metrics are scraped. */
  dependency(name: string, check: () => Promise<void>): void;
}

/** The metrics of a process, for `mergeSnapshots` in another. */
export type MetricsSnapshot = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The longest wait of a scrape for values, so that a slow database does not prevent all other metrics. */
const READING_MS = CHECK_TIMEOUT_MS + 250;

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The range from the response of a nearby cache to one close to a time-out. */
const CALL_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

interface Series {
  labels: Record<string, string>;
  count: number;
}

interface LabelledValue {
  labels: Record<string, string>;
  value: number;
}

/**
 * Creates Prometheus metrics of one service. Names begin with `switchboard_`. `revision`: the commit of the build.
 * `region`: the deployment's, of a service that has one.
 */
export function createMetrics(service: string, revision = 'unknown', region = ''): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  for (const metric of registry.getMetricsAsArray()) {
    // With several workers, report the slowest event loop and the oldest process.
    if (metric.aggregator === 'average') metric.aggregator = 'max';
    if (metric.aggregator === 'omit') metric.aggregator = 'min';
  }
  const build: Gauge = new Gauge({
    name: 'switchboard_build_info',
    help: 'Always 1. The labels name the running build and its region.',
    labelNames: ['version', 'revision', 'node', 'region'],
    aggregator: 'max',
    registers: [registry],
  });
  build.set({ version: packageJson.version, revision, node: process.versions.node, region }, 1);

  const calls = durationsBy(
    'switchboard_dependency_call_duration_seconds',
    'Time of calls to the database, Redis, the object store, the event log and other servers, by outcome.',
    ['dependency', 'operation', 'outcome'],
    CALL_BUCKETS,
  );

  const caches = new Map<string, () => Readonly<Reads>>();
  const reads: Counter = new Counter({
    name: 'switchboard_cache_reads_total',
    help: 'Reads of a cache, by result: hit or miss.',
    labelNames: ['cache', 'result'],
    registers: [registry],
    collect() {
      reads.reset();
      for (const [cache, read] of caches) {
        const { hits, misses } = read();
        reads.inc({ cache, result: 'hit' }, hits);
        reads.inc({ cache, result: 'miss' }, misses);
      }
    },
  });

  const projects = projectLoad();
  const busiest = (rateOf: (load: ProjectLoad) => number) => async () =>
    [...projects.busiest(rateOf)].map(([project, value]) => ({ labels: { project }, value }));
  gaugeBy(
    'switchboard_project_requests_per_second',
    'Requests per second of the busiest projects over half a minute; `other` is the sum of the rest.',
    ['project'],
    busiest(({ requests }) => requests),
    'sum',
  );
  gaugeBy(
    'switchboard_project_refused_per_second',
    'Responses 429 and 5xx per second of the busiest projects over half a minute.',
    ['project'],
    busiest(({ refused }) => refused),
    'sum',
  );
  gaugeBy(
    'switchboard_project_busy',
    'Requests in progress of the busiest projects, on average over half a minute.',
    ['project'],
    busiest(({ seconds }) => seconds),
    'sum',
  );

  const series: Series[] = [];
  const requests: Counter = new Counter({
    name: 'switchboard_http_requests_total',
    help: 'Requests by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
    collect() {
      requests.reset();
      for (const { labels, count } of series) requests.inc(labels, count);
    },
  });
  const durations = new Durations(
    {
      name: 'switchboard_http_request_duration_seconds',
      help: 'Time from the headers of a request to its response.',
      labelNames: ['route', 'method'],
      registers: [registry],
    },
    BUCKETS,
  );

  // prom-client's lookup by labels costs more than counting, so each series is looked up once.
  const byRoute = byPair((route: string, method: string) => ({
    duration: durations.observer({ route, method }),
    byStatus: new Map<number, Series>(),
  }));

  function newSeries(method: string, route: string, status: number): Series {
    const one = { labels: { route, method, status: String(status) }, count: 0 };
    series.push(one);
    return one;
  }

  const dependencies = new Map<string, () => Promise<void>>();
  gaugeBy(
    'switchboard_dependency_up',
    'Whether a dependency answered within a second: 1 or 0.',
    ['dependency'],
    () => Promise.all([...dependencies].map(dependencyState)),
    'min',
  );

  function gaugeBy(
    name: string,
    help: string,
    labels: string[],
    read: () => Promise<LabelledValue[]>,
    aggregator: 'max' | 'min' | 'sum' = 'max',
  ): void {
    const reading = inTime(read);
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames: labels,
      aggregator,
      registers: [registry],
      async collect() {
        const values = await reading();
        gauge.reset();
        // Without labels, a reset sets the gauge to 0.
        if (labels.length === 0) gauge.remove();
        for (const { labels: of, value } of values) gauge.set(of, value);
      },
    });
  }

  function durationsBy(name: string, help: string, labelNames: string[], buckets = BUCKETS) {
    const all = new Durations({ name, help, labelNames, registers: [registry] }, buckets);
    const series = cached((values) =>
      all.observer(Object.fromEntries(labelNames.map((label, index) => [label, values[index] ?? '']))),
    );
    return { observe: (values: string[], seconds: number) => series.of(values).observe(seconds) };
  }

  const failures = counterBy(
    'switchboard_background_errors_total',
    'Failed attempts of background work, which is repeated.',
    ['task'],
  );

  function counterBy(name: string, help: string, labelNames: string[]) {
    const series = cached((values) => ({ values, count: 0 }));
    const counter: Counter = new Counter({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        counter.reset();
        for (const { values, count } of series.all()) counter.labels(...values).inc(count);
      },
    });
    return {
      add(values: string[], count = 1) {
        series.of(values).count += count;
      },
    };
  }

  return {
    registry,
    observeProject: projects.observe,
    called: (dependency, operation, outcome, seconds) =>
      calls.observe([dependency, operation, outcome], seconds),
    cache: (name, read) => void caches.set(name, read),
    gaugeBy: (name, help, labels, read) => gaugeBy(name, help, labels, read),
    dependency: (name, check) => void dependencies.set(name, check),
    observeRequest(method, route, status, seconds) {
      const { duration, byStatus } = byRoute(route, method);
      let one = byStatus.get(status);
      if (one === undefined) {
        one = newSeries(method, route, status);
        byStatus.set(status, one);
      }
      one.count++;
      duration.observe(seconds);
    },
    gauge(name, help, read) {
      const gauge: Gauge = new Gauge({ name, help, registers: [registry], collect: () => gauge.set(read()) });
    },
    counter(name, help) {
      const counter = new Counter({ name, help, registers: [registry] });
      return { add: (count = 1) => counter.inc(count) };
    },
    counterBy,
    failed: (task) => failures.add([task]),
    durations: durationsBy,
  };
}

/**
 * Caches one series per set of values, since prom-client's lookup by labels costs more than counting. Nested by
 * value, since building one key costs more than a look-up for each.
 */
function cached<T>(make: (values: string[]) => T): { of(values: string[]): T; all(): readonly T[] } {
  interface Level {
    next: Map<string, Level>;
    series?: T;
  }
  const first: Level = { next: new Map() };
  const all: T[] = [];

  function add(level: Level, values: string[]): T {
    const series = make(values);
    level.series = series;
    all.push(series);
    return series;
  }

  return {
    of(values) {
      let level = first;
      for (const value of values) {
        let next = level.next.get(value);
        if (next === undefined) {
          next = { next: new Map() };
          level.next.set(value, next);
        }
        level = next;
      }
      return level.series ?? add(level, values);
    },
    all: () => all,
  };
}

/** Limits reading to one call at a time. A concurrent scrape gets the same values. */
function inTime(read: () => Promise<LabelledValue[]>): () => Promise<LabelledValue[]> {
  let reading: Promise<LabelledValue[]> | undefined;
  return async () => {
    reading ??= read();
    try {
      const values = await withDeadline(READING_MS, reading);
      reading = undefined;
      return values;
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) reading = undefined;
      return [];
    }
  };
}

async function dependencyState([dependency, check]: [string, () => Promise<void>]): Promise<LabelledValue> {
  return { labels: { dependency }, value: (await problemOf(check)) === undefined ? 1 : 0 };
}

/** Merges the metrics of several processes. */
export function mergeSnapshots(
  snapshots: readonly MetricsSnapshot[],
): Pick<Registry, 'metrics' | 'getMetricsAsJSON'> {
  return AggregatorRegistry.aggregate([...snapshots]);
}

/** Returns the metrics of a snapshot that only increase, which must be kept after their process ends. */
export function cumulative(snapshot: MetricsSnapshot): MetricsSnapshot {
  return snapshot.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));
}
