import { RateLimited } from '../http/errors.ts';
import type { Quota } from '../http/implement.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { Metrics } from '../telemetry/metrics.ts';

interface QuotaOptions {
  /** Names the quota in messages and metrics: `events`. Each has buckets of its own. */
  name: string;
  bytesPerSecond: Readonly<Record<'address' | 'project', number>>;
  rejections: QuotaRejections;
  logger: Logger;
}

/** Counts rejections by quota and by what has used it up. */
export type QuotaRejections = ReturnType<Metrics['counterBy']>;

export function quotaRejections(metrics: Metrics): QuotaRejections {
  return metrics.counterBy(
    'switchboard_quota_rejections_total',
    'Requests over a quota by quota and holder.',
    ['quota', 'by'],
  );
}

/** A holder may send at once what it may send in this time. */
const BURST_SECONDS = 10;
/** What a request counts beside its body, so that empty ones are bounded too. */
const REQUEST_BYTES = 1_000;
const MAX_KEYS = 100_000;
const MIN_SWEEP_KEYS = 1_000;
const WARN_AGAIN_MS = 60_000;

/**
 * The bytes that each address and each project may send, counted in this process: asking Redis would cost more than
 * accepting an event. What a body takes is known once it is read, so a body may overdraw a bucket, and then the next
 * one waits.
 */
export function createQuota({ name, bytesPerSecond, rejections, logger }: QuotaOptions): Quota {
  const buckets = {
    address: createBuckets(bytesPerSecond.address),
    project: createBuckets(bytesPerSecond.project),
  };
  let warnedAt = Number.NEGATIVE_INFINITY;

  /** Names the project, since it can be called; addresses are not logged. */
  function warn(project: string): void {
    const now = performance.now();
    if (now - warnedAt < WARN_AGAIN_MS) return;
    warnedAt = now;
    logger.warn({ project, quota: name }, 'quota of a project used up');
  }

  return {
    check(by, id) {
      const wait = buckets[by].wait(id);
      if (wait === 0) return;
      rejections.add([name, by]);
      if (by === 'project') warn(id);
      throw new RateLimited(
        `Quota of the ${by} used up (${name}). Retry after the time in Retry-After.`,
        wait,
      );
    },
    charge(by, id, bytes) {
      buckets[by].take(id, bytes + REQUEST_BYTES);
    },
  };
}

/** Token buckets by key. Full ones are dropped now and then; beyond MAX_KEYS, the older half is. */
export function createBuckets(perSecond: number, now: () => number = () => performance.now() / 1000) {
  /** Key to the time at which its bucket is full again. */
  const fullAt = new Map<string, number>();
  let sweepAt = MIN_SWEEP_KEYS;

  function sweep(moment: number): void {
    const most = fullAt.size > MAX_KEYS ? MAX_KEYS / 2 : MAX_KEYS;
    for (const [key, at] of fullAt) if (at <= moment || fullAt.size > most) fullAt.delete(key);
    sweepAt = Math.max(MIN_SWEEP_KEYS, 2 * fullAt.size);
  }

  return {
    /** Seconds until the key has bytes left. */
    wait(key: string): number {
      return Math.max(0, (fullAt.get(key) ?? 0) - now() - BURST_SECONDS);
    },
    take(key: string, bytes: number): void {
      const moment = now();
      fullAt.set(key, Math.max(moment, fullAt.get(key) ?? 0) + bytes / perSecond);
      if (fullAt.size > sweepAt) sweep(moment);
    },
    size: () => fullAt.size,
  };
}
