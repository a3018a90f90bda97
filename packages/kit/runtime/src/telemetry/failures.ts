import type { Logger } from 'pino';

/**
 * Reports a failed attempt of repeated background work that will be retried. Each call is counted
 * (`switchboard_background_errors_total`). One line per minute is logged for each task.
 * @param task The name of the work, for example `merge files`: one of few constants.
 */
export type Failed = (task: string, error: unknown, fields?: object) => void;

const EVERY_MS = 60_000;

/** Logs failures: the first of a task, then one per minute with the number of those in between. */
export function boundedFailures(logger: Pick<Logger, 'error'>): Failed {
  const written = new Map<string, { at: number; notLogged: number }>();
  return (task, error, fields) => {
    const now = performance.now();
    const last = written.get(task);
    if (last !== undefined && now - last.at < EVERY_MS) {
      last.notLogged++;
      return;
    }
    written.set(task, { at: now, notLogged: 0 });
    const others = last !== undefined && last.notLogged > 0 ? { notLogged: last.notLogged } : {};
    logger.error({ ...fields, task, error, ...others }, 'background work failed, retrying');
  };
}
