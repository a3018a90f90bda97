import type { Db } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import { BadRequest, NotFound, Unavailable } from '@switchboard/http';
import { createPolling, type Polling } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import {
  type AlertRow,
  type AlertStatesStore,
  applyEvaluation,
  createAlertStatesStore,
} from '../alert-states/store.ts';
import type { Insights } from '../insights/insights.ts';
import type { Watermark } from '../watermark/watermark.ts';
import { evaluate } from './evaluate.ts';

const POLL_MS = 1_000;
/** Longer than an evaluation takes. */
const CLAIM_MS = 300_000;
/** The time until the watermark passes the end of a bucket. */
const SETTLE_MS = 2_000;
/** The time to the next look at a bucket that has ended and is not stored yet. */
const LAGGING_MS = 10_000;
const BUSY_MS = 20_000;
/** A failed evaluation is repeated after this many times its duration, so that a slow query blocks few others. */
const PAUSES = 10;
const UNUSABLE_MS = 600_000;

interface EvaluatorOptions {
  db: Db;
  insights: Pick<Insights, 'ask'>;
  watermark: Pick<Watermark, 'asOf'>;
  directory: Pick<Directory, 'project'>;
  region: string;
  clock: Clock;
  /** Milliseconds on a monotonic clock. */
  elapsed?: () => number;
  logger: Logger;
}

/** Evaluates alerts when a bucket is complete, each in one instance at a time, one after another. */
export function createEvaluator(options: EvaluatorOptions): Polling {
  const { db, insights, watermark, directory, region, clock, logger } = options;
  const { elapsed = () => performance.now() } = options;
  const store: AlertStatesStore = createAlertStatesStore(db);
  let lastProject = '';

  const inMs = (ms: number) => new Date(clock.now().getTime() + ms);

  async function evaluateOne(alert: AlertRow): Promise<void> {
    const { projectId } = alert;
    const project = await directory.project(projectId);
    if (project?.region !== region) return store.fail(alert, 'The project was not found.', inMs(UNUSABLE_MS));
    const asOf = watermark.asOf();
    const { completeAt, ...evaluated } = await evaluate(alert, {
      insights,
      projectId,
      now: clock.now().getTime(),
      asOf,
    });
    const now = clock.now();
    const endsAt = new Date((completeAt ?? 0) + SETTLE_MS);
    const nextAt = endsAt > now ? endsAt : inMs(LAGGING_MS);
    await db.transaction((tx) => applyEvaluation(tx, alert, evaluated, { now, nextAt }));
  }

  async function evaluateSafely(alert: AlertRow): Promise<void> {
    const startedAt = elapsed();
    try {
      await evaluateOne(alert);
    } catch (error) {
      if (error instanceof BadRequest || error instanceof NotFound) {
        return store.fail(alert, error.message, inMs(UNUSABLE_MS));
      }
      const retryAt = inMs(Math.max(BUSY_MS, PAUSES * (elapsed() - startedAt)));
      if (error instanceof Unavailable) return store.fail(alert, error.message, retryAt);
      logger.failed('evaluate an alert', error, { projectId: alert.projectId, alertId: alert.id });
      return store.fail(alert, 'The alert could not be evaluated.', retryAt);
    }
  }

  async function look(signal: AbortSignal): Promise<void> {
    // Unknown until the first sample of the log.
    while (!signal.aborted && watermark.asOf() > 0) {
      const now = clock.now();
      const times = { now, until: inMs(CLAIM_MS), latest: inMs(2 * CLAIM_MS) };
      const alert = await store.claim(times, lastProject);
      if (alert === undefined) return;
      lastProject = alert.projectId;
      await evaluateSafely(alert);
    }
  }

  return createPolling(look, {
    everyMs: POLL_MS,
    onFailure: (error) => logger.failed('look for alerts', error),
  });
}
