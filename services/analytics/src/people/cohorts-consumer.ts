import { COHORTS_TOPIC, type CohortRecord, cohortRecord, parseCohortKey } from '@switchboard/contracts';
import {
  type BackgroundConsumer,
  createConsumer,
  type EventLog,
  type RecordBatch,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { CohortKey, CohortMembersStore } from '../cohort-members/store.ts';
import type { WatchedPeopleStore } from '../watched-people/store.ts';
import type { PeopleStore } from './store.ts';

const COHORTS_GROUP = 'analytics.cohorts';

interface ConsumerOptions {
  store: Pick<PeopleStore, 'saveCohort' | 'removeCohort'>;
  lists: Pick<CohortMembersStore, 'define'>;
  watches: Pick<WatchedPeopleStore, 'forget' | 'request'>;
  log: EventLog;
  logger: Logger;
}

/** Keeps the replica of cohorts up to date. The flags service creates the topic. */
export function createCohortsConsumer({
  store,
  lists,
  watches,
  log,
  logger,
}: ConsumerOptions): BackgroundConsumer {
  const topics = [COHORTS_TOPIC];

  async function save(named: CohortKey, cohort: CohortRecord | null): Promise<void> {
    const { did, combine = 'all' } = cohort ?? {};
    await lists.define(named, did && { did, combine });
    if (cohort === null) {
      await store.removeCohort(named.projectId, named.id);
      await watches.forget(named);
    } else {
      await store.saveCohort(cohort);
      await watches.request(named);
    }
  }

  async function handle(batch: RecordBatch): Promise<void> {
    for (const { key, value } of batch.records) {
      const named = key === null ? undefined : parseCohortKey(key);
      const cohort = value === null ? null : parse(value);
      if (named === undefined || cohort === undefined)
        logger.error({ key }, 'skipped unreadable record of cohorts');
      else await save(named, cohort);
    }
  }

  async function consume() {
    await log.endOffsets(COHORTS_TOPIC);
    return log.consume({ group: COHORTS_GROUP, topics, handle });
  }

  return createConsumer({ consume, topics, logger });
}

function parse(value: Buffer): CohortRecord | undefined {
  try {
    return cohortRecord.safeParse(JSON.parse(String(value))).data;
  } catch {
    return undefined;
  }
}
