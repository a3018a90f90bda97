import { hash } from 'node:crypto';
import type { CohortList } from '@switchboard/contracts';
import type { Transactor } from '@switchboard/database';
import { BadRequest, NotFound, Unavailable } from '@switchboard/http';
import { poll } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import type { ClaimedCohort, CohortKey, CohortMembersStore, Part } from '../cohort-members/store.ts';
import type { Compute, ComputedList } from './compute.ts';

const POLL_MS = 1_000;
const EVERY_MS = 15 * 60_000;
/** Longer than a computation may take. */
const CLAIM_MS = 15 * 60_000;
const MAX_RUN_MS = 10 * 60_000;
const RETRY_MS = 60_000;
/** The error that the owner of a cohort sees when only the log has the cause. */
const DEFECT = 'The list could not be computed. It is computed again in a minute.';

interface CohortListsOptions {
  store: Pick<CohortMembersStore, 'claim' | 'digests' | 'save' | 'finish' | 'request'>;
  compute: Compute;
  clock: Clock;
  logger: Logger;
}

/** Computes the lists of cohorts when they are due, those of a project together, in one instance at a time. */
export interface CohortLists {
  /** Makes a list due. Throws NotFound. */
  request(within: Transactor, cohort: CohortKey): Promise<void>;
  /** Returns at once. */
  start(): void;
  /** Waits for the running computation to stop. */
  stop(): Promise<void>;
}

export function createCohortLists({ store, compute, clock, logger }: CohortListsOptions): CohortLists {
  const stopping = new AbortController();
  /** Projects take turns. */
  let lastProject = '';
  let loop: Promise<void> | undefined;

  const inMs = (ms: number) => new Date(clock.now().getTime() + ms);

  async function save(
    cohort: ClaimedCohort,
    { size, parts }: ComputedList,
    computedAt: string,
  ): Promise<void> {
    const known = await store.digests(cohort);
    const changed: Part[] = [];
    for (const [prefix, members] of parts) {
      const digest = hash('md5', members, 'base64');
      if (known.get(prefix) !== digest) changed.push({ prefix, members, digest });
    }
    const gone = [...known.keys()].filter((prefix) => !parts.has(prefix));
    if (changed.length + gone.length > 0) await store.save(cohort, { changed, gone });
    await store.finish(cohort, { computedAt, size }, inMs(EVERY_MS));
  }

  async function fail(cohort: ClaimedCohort, error: unknown): Promise<void> {
    const isExpected = error instanceof BadRequest || error instanceof Unavailable;
    const names = { projectId: cohort.projectId, cohort: cohort.id };
    if (!isExpected) logger.failed('compute a cohort', error, names);
    const { computedAt, size } = cohort.list;
    const list: CohortList = { computedAt, size, failure: isExpected ? error.message : DEFECT };
    await store.finish(cohort, list, inMs(error instanceof BadRequest ? EVERY_MS : RETRY_MS));
  }

  async function run(claimed: readonly ClaimedCohort[]): Promise<void> {
    const waiting = new Map(claimed.map((cohort) => [cohort.id, cohort]));
    const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(MAX_RUN_MS)]);
    const computedAt = clock.now().toISOString();
    try {
      await compute(
        lastProject,
        claimed,
        async (id, result) => {
          const cohort = waiting.get(id);
          if (cohort === undefined) return;
          waiting.delete(id);
          await ('error' in result ? fail(cohort, result.error) : save(cohort, result, computedAt));
        },
        signal,
      );
    } catch (error) {
      for (const cohort of waiting.values()) await fail(cohort, error);
    }
  }

  async function look(): Promise<void> {
    while (!stopping.signal.aborted) {
      const claimed = await store.claim(clock.now(), inMs(CLAIM_MS), lastProject);
      const [first] = claimed;
      if (first === undefined) return;
      lastProject = first.projectId;
      await run(claimed);
    }
  }

  return {
    async request(within, cohort) {
      if (!(await store.request(cohort, within)))
        throw new NotFound('Cohort not found, or it has no conditions in did.');
    },
    start() {
      loop ??= poll(look, {
        everyMs: POLL_MS,
        signal: stopping.signal,
        onFailure: (error) => logger.failed('look for cohorts', error),
      });
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
