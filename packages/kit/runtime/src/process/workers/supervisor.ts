import { backoffDelay } from '@switchboard/resilience';
import type { Logger } from '../../telemetry/logger.ts';
import { cumulative, type Metrics, type MetricsSnapshot, mergeSnapshots } from '../../telemetry/metrics.ts';
import type { Problems } from '../health.ts';
import { debugOnSignal } from '../log-level.ts';
import { shutDownInOrder } from '../shutdown.ts';
import type { WorkerPlan } from './plan.ts';
import type { SupervisorCalls } from './protocol.ts';
import { type Ending, forkWorker, type WorkerProcess } from './worker-process.ts';

export interface Timings {
  /** Milliseconds between two heartbeats of each worker. */
  beatMs: number;
  /** A worker that ran at least this long before it ended does not count as a repeated failure. */
  stableMs: number;
  /** The number of failures of a worker in a row after which the supervisor ends. */
  maxFailures: number;
  restart: { baseMs: number; maxMs: number };
}

const TIMINGS: Timings = {
  beatMs: 10_000,
  stableMs: 60_000,
  maxFailures: 5,
  restart: { baseMs: 500, maxMs: 10_000 },
};

/** The number of missed heartbeats after which a worker is killed. */
const MAX_MISSED_BEATS = 3;
/** The number of snapshots of ended workers at which they are merged. */
const MAX_PIECES = 10;

interface SupervisorOptions {
  plan: WorkerPlan;
  logger: Logger;
  /** The metrics of this process. */
  metrics: Metrics;
  timings?: Partial<Timings> | undefined;
}

/** A worker's place, filled by one process after another. */
interface Place {
  number: number;
  current: WorkerProcess | undefined;
  hasBegun: boolean;
  hasStarted: boolean;
  startedAt: number;
  /** The number of times in a row that its process ended soon after it began. */
  failures: number;
  missedBeats: number;
  /** The latest metrics of the current process. */
  snapshot: MetricsSnapshot;
}

/**
 * Runs the workers of a service until SIGTERM or SIGINT, which it passes on. The first worker starts alone, so that
 * only it migrates, and the others follow. A worker that ends or hangs is replaced after a pause. If that continues,
 * or if a worker cannot start at all, the process ends with exit code 1. Answers for all workers together: health and
 * metrics.
 */
export function superviseWorkers({ plan, logger, metrics, timings }: SupervisorOptions): void {
  const { beatMs, stableMs, maxFailures, restart } = { ...TIMINGS, ...timings };
  const places = Array.from({ length: plan.count }, (_, index) => placeOf(index + 1));
  /** The counts of ended workers, since sums must never decrease. */
  let past: MetricsSnapshot[] = [];
  let isComplete = false;
  let isStopping = false;

  function start(place: Place): void {
    const { number } = place;
    Object.assign(place, { hasBegun: false, hasStarted: false, missedBeats: 0 });
    const supervisor: SupervisorCalls = {
      begin() {
        place.hasBegun = true;
        const listensAtOnce = !places.some(({ hasStarted }) => hasStarted);
        return { number, count: plan.count, listensAtOnce };
      },
      started() {
        place.hasStarted = true;
        place.startedAt = performance.now();
        continueStart();
      },
      isServing: () => isComplete && !isStopping && places.some(({ hasStarted }) => hasStarted),
      problems,
      metrics: metricsOfAll,
    };
    // Consumers run only in the first worker.
    const worker = forkWorker(supervisor, number === 1 ? {} : { ROLES: 'http' }, plan.flags);
    place.current = worker;
    void worker.ended.then((ending) => ended(place, worker, ending));
  }

  function continueStart(): void {
    if (isComplete || isStopping) return;
    for (const place of places) if (place.current === undefined) start(place);
    isComplete = places.every(({ hasStarted }) => hasStarted);
    const pids = places.map(({ current }) => current?.pid);
    if (isComplete) logger.info({ pids }, 'all workers ready');
  }

  function ended(place: Place, { pid }: WorkerProcess, ending: Ending): void {
    const wasStable = place.hasStarted && performance.now() - place.startedAt > stableMs;
    place.current = undefined;
    place.hasStarted = false;
    past = [...past, cumulative(place.snapshot)];
    place.snapshot = [];
    if (isStopping) return;
    const fields = { worker: place.number, pid, ...ending };
    place.failures = wasStable ? 1 : place.failures + 1;
    if (!isComplete || place.failures > maxFailures) {
      logger.fatal(fields, isComplete ? 'worker keeps ending, shutting down' : 'worker did not start');
      shutDown(1);
      return;
    }
    const delayMs = backoffDelay(place.failures - 1, restart);
    logger.error({ ...fields, delayMs }, 'worker ended, starting another');
    setTimeout(() => {
      if (!isStopping) start(place);
    }, delayMs);
  }

  async function beat(place: Place): Promise<void> {
    const { current } = place;
    if (current === undefined || !place.hasBegun) return;
    const isAlive = await current.calls.beat().then(
      () => true,
      () => false,
    );
    if (place.current !== current) return;
    place.missedBeats = isAlive ? 0 : place.missedBeats + 1;
    if (place.missedBeats < MAX_MISSED_BEATS) return;
    logger.fatal({ worker: place.number, pid: current.pid }, 'worker hangs, killing it');
    current.kill('SIGKILL');
  }

  async function problems(): Promise<Problems> {
    if (isStopping) return { service: 'draining' };
    const found = await Promise.all(places.map(problemsOf));
    return Object.assign({}, ...found);
  }

  async function metricsOfAll(): Promise<string> {
    const own = await metrics.registry.getMetricsAsJSON();
    await Promise.all(places.map(takeSnapshot));
    await joinPast();
    // Read at one moment, since a worker's counts move from `places` to `past` when it ends.
    return mergeSnapshots([own, ...past, ...places.map(({ snapshot }) => snapshot)]).metrics();
  }

  async function joinPast(): Promise<void> {
    if (past.length < MAX_PIECES) return;
    const joined = past;
    const sum = await mergeSnapshots(joined).getMetricsAsJSON();
    past = [sum, ...past.slice(joined.length)];
  }

  const beating = setInterval(() => {
    for (const place of places) void beat(place);
  }, beatMs);
  process.once('exit', () => {
    for (const { current } of places) current?.kill('SIGKILL');
  });
  const shutDown = shutDownInOrder({
    log: logger,
    async close() {
      isStopping = true;
      clearInterval(beating);
      const running = places.flatMap(({ current }) => current ?? []);
      for (const worker of running) worker.kill('SIGTERM');
      const endings = await Promise.all(running.map(({ ended }) => ended));
      const failed = endings.filter(({ code, signal }) => code !== 0 && signal !== 'SIGTERM');
      if (failed.length > 0) throw new Error(`${failed.length} workers did not shut down cleanly`);
    },
  });
  debugOnSignal(logger, () => {
    for (const { current, hasStarted } of places) if (hasStarted) current?.kill('SIGUSR2');
  });
  const [first] = places;
  if (first !== undefined) start(first);
}

function placeOf(number: number): Place {
  return {
    number,
    current: undefined,
    hasBegun: false,
    hasStarted: false,
    startedAt: 0,
    failures: 0,
    missedBeats: 0,
    snapshot: [],
  };
}

async function problemsOf({ number, current, hasBegun }: Place): Promise<Problems> {
  const name = `worker ${number}`;
  if (current === undefined || !hasBegun) return { [name]: 'starting' };
  return current.calls.problems().catch(() => ({ [name]: 'not answering' }));
}

/** Updates the snapshot of a worker. One that does not answer keeps its last snapshot. */
async function takeSnapshot(place: Place): Promise<void> {
  const { current } = place;
  const snapshot = await current?.calls.metrics().catch(() => undefined);
  if (snapshot !== undefined && place.current === current) place.snapshot = snapshot;
}
