import { WATCHED_COHORTS_TOPIC, watchedCohorts } from '@switchboard/contracts';
import {
  type BackgroundConsumer,
  createConsumer,
  type EventLog,
  type RecordBatch,
} from '@switchboard/event-log';
import { compactedTopic } from '@switchboard/outbox';
import type { Logger } from '@switchboard/runtime';
import type { WatchedPeopleStore } from '../watched-people/store.ts';

interface ConsumerOptions {
  store: Pick<WatchedPeopleStore, 'watch'>;
  log: EventLog;
  /** The number of replicas of each partition. */
  replication: number;
  logger: Logger;
}

/** Keeps which cohorts are watched up to date. Creates the topic, because delivery is optional. */
export function createWatchedCohortsConsumer({
  store,
  log,
  replication,
  logger,
}: ConsumerOptions): BackgroundConsumer {
  const topics = [WATCHED_COHORTS_TOPIC];

  async function handle({ records, signal }: RecordBatch): Promise<void> {
    for (const { key, value } of records) {
      const cohortIds = cohortIdsIn(value);
      if (key === null || cohortIds === undefined)
        logger.error({ key }, 'skipped unreadable record of watched-cohorts');
      else await store.watch(key, cohortIds, signal);
    }
  }

  async function consume() {
    await log.createTopics([compactedTopic(WATCHED_COHORTS_TOPIC, replication)]);
    return log.consume({ group: 'analytics.watched-cohorts', topics, handle });
  }

  return createConsumer({ consume, topics, logger });
}

function cohortIdsIn(value: Buffer | null): string[] | undefined {
  if (value === null) return [];
  try {
    return watchedCohorts.safeParse(JSON.parse(String(value))).data?.cohortIds;
  } catch {
    return undefined;
  }
}
