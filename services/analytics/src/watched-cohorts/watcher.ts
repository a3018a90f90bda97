import { BadRequest, Unavailable } from '@switchboard/http';
import { createPolling, type Polling } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import type { ClaimedWatch, WatchedPeopleStore } from '../watched-people/store.ts';
import type { Compare } from './compare.ts';

const POLL_MS = 1_000;
/** With the jitter, the members of a cohort are compared every 15 minutes at least. */
const EVERY_MS = 14 * 60_000;
const JITTER_MS = 30_000;
/** Longer than a comparison may take. */
const CLAIM_MS = 11 * 60_000;
const MAX_RUN_MS = 10 * 60_000;
const RETRY_MS = 60_000;
/** The failure that the owner of a webhook sees when only the log has the cause. */
const DEFECT = 'The members could not be compared. They are compared again in a minute.';

interface WatcherOptions {
  store: Pick<WatchedPeopleStore, 'claim' | 'apply' | 'fail' | 'release'>;
  compare: Compare;
  clock: Clock;
  random?: () => number;
  logger: Logger;
}

/** Compares the members of watched cohorts when they are due, those of a project together, in one instance at a time. */
export function createCohortWatcher({
  store,
  compare,
  clock,
  random = Math.random,
  logger,
}: WatcherOptions): Polling {
  /** Projects take turns. */
  let lastProject = '';

  const inMs = (ms: number) => new Date(clock.now().getTime() + ms);
  const nextAt = () => inMs(EVERY_MS + random() * JITTER_MS);

  async function fail(watch: ClaimedWatch, error: unknown): Promise<void> {
    const names = { projectId: watch.projectId, cohort: watch.id };
    const isExpected = error instanceof BadRequest || error instanceof Unavailable;
    if (isExpected) logger.warn({ ...names, cause: error.message }, 'members of a cohort not compared');
    else logger.failed('compare the members of a cohort', error, names);
    const dueAt = error instanceof BadRequest ? nextAt() : inMs(RETRY_MS);
    await store.fail(watch, isExpected ? error.message : DEFECT, clock.now(), dueAt);
  }

  async function run(claimed: readonly ClaimedWatch[], stopping: AbortSignal): Promise<void> {
    const waiting = new Map(claimed.map((watch) => [watch.id, watch]));
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(MAX_RUN_MS)]);
    const at = clock.now();
    try {
      await compare(
        lastProject,
        [...waiting.keys()],
        async (id, result) => {
          const watch = waiting.get(id);
          if (watch === undefined) return;
          await ('error' in result
            ? fail(watch, result.error)
            : store.apply(watch, { at, ...result }, nextAt()));
          waiting.delete(id);
        },
        signal,
      );
    } catch (error) {
      for (const watch of waiting.values()) {
        await (stopping.aborted ? store.release(watch) : fail(watch, error));
      }
    }
  }

  async function look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const claimed = await store.claim(clock.now(), inMs(CLAIM_MS), lastProject);
      const [first] = claimed;
      if (first === undefined) return;
      lastProject = first.projectId;
      await run(claimed, signal);
    }
  }

  return createPolling(look, {
    everyMs: POLL_MS,
    onFailure: (error) => logger.failed('look for watched cohorts', error),
  });
}
