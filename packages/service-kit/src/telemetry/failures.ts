import type { Logger } from 'pino';

/**
 * Work that repeats without a caller failed, and is tried again. Each call is counted
 * (`switchboard_background_errors_total`); one line a minute of each task is written.
 * @param task Names the work, for example `merge files`: one of few constants.
 */
export type Failed = (task: string, error: unknown, fields?: object) => void;

const EVERY_MS = 60_000;

/** Logs failures: the first of a task, then one a minute with the number of those in between. */
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
