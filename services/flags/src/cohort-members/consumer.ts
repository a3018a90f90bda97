import { COHORT_MEMBERS_TOPIC, cohortList, cohortMembers, parseCohortListKey } from '@switchboard/contracts';
import {
  type BackgroundConsumer,
  createConsumer,
  type EventLog,
  type OutgoingRecord,
  type RecordBatch,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { CohortMembersStore } from './store.ts';

const COHORT_MEMBERS_GROUP = 'flags.cohort-members';

interface ConsumerOptions {
  store: CohortMembersStore;
  log: EventLog;
  logger: Logger;
}

/** Applies the lists of cohorts that analytics computes. Analytics creates the topic. */
export function createCohortMembersConsumer({ store, log, logger }: ConsumerOptions): BackgroundConsumer {
  const topics = [COHORT_MEMBERS_TOPIC];

  /** Returns false for an unreadable record. */
  async function apply({ key, value }: Pick<OutgoingRecord, 'key' | 'value'>): Promise<boolean> {
    const named = key === null ? undefined : parseCohortListKey(key);
    if (named === undefined) return false;
    if (named.prefix === undefined) {
      if (value === null) return true;
      const list = cohortList.safeParse(parse(value)).data;
      if (list !== undefined) await store.saveList(named, list);
      return list !== undefined;
    }
    const members = value === null ? [] : cohortMembers.safeParse(parse(value)).data?.members;
    if (members !== undefined) await store.replacePart(named, named.prefix, members);
    return members !== undefined;
  }

  async function handle(batch: RecordBatch): Promise<void> {
    for (const record of batch.records)
      if (!(await apply(record)))
        logger.error({ key: record.key }, 'skipped unreadable record of cohort-members');
  }

  async function consume() {
    await log.endOffsets(COHORT_MEMBERS_TOPIC);
    return log.consume({ group: COHORT_MEMBERS_GROUP, topics, handle });
  }

  return createConsumer({
    consume,
    topics,
    logger,
    onMissing: () =>
      logger.info({ topics }, 'wait for analytics; without it, cohorts by events have no members'),
  });
}

function parse(value: Buffer): unknown {
  try {
    return JSON.parse(String(value));
  } catch {
    return undefined;
  }
}
