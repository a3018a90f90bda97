import { type CreateRateLimit, RateLimited } from '@switchboard/http';
import type { Logger, Metrics } from '@switchboard/runtime';

/** The number of identify calls with an anonymous id that join ids of a project in a minute. */
export const JOINS_PER_MINUTE = 6_000;

const WARN_AGAIN_MS = 60_000;

/** Limits how many ids of a project are joined. */
export interface JoinLimit {
  /** Returns whether the anonymous id of a call joins. Counts those that do not. */
  allows(projectId: string): Promise<boolean>;
}

interface JoinLimitOptions {
  limit: CreateRateLimit;
  metrics: Metrics;
  logger: Logger;
}

/**
 * Creates a limit that refuses joins and not calls, because the SDKs send calls in order: a refused call would delay
 * all later ones.
 */
export function createJoinLimit({ limit, metrics, logger }: JoinLimitOptions): JoinLimit {
  const joins = limit({
    name: 'identify calls with an anonymous_id of a project',
    points: JOINS_PER_MINUTE,
    durationSeconds: 60,
  });
  const refused = metrics.counterBy(
    'switchboard_joins_refused_total',
    'Anonymous ids of accepted identify calls that are not joined, by reason. rate: the project joined too many.',
    ['reason'],
  );
  let warnedAt = Number.NEGATIVE_INFINITY;

  return {
    async allows(projectId) {
      try {
        await joins.consume(projectId);
        return true;
      } catch (error) {
        if (!(error instanceof RateLimited)) throw error;
        refused.add(['rate']);
        if (performance.now() - warnedAt >= WARN_AGAIN_MS) {
          warnedAt = performance.now();
          logger.warn({ project: projectId }, 'refused joins of a project over the rate');
        }
        return false;
      }
    },
  };
}
