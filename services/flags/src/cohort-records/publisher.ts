import { COHORTS_TOPIC, type CohortRecord, cohortKey } from '@switchboard/contracts';
import type { Database, Tx } from '@switchboard/database';
import {
  type EventLog,
  MAX_RECORD_BYTES,
  type OutgoingRecord,
  publishInOrder,
  type TopicSpec,
} from '@switchboard/event-log';
import { poll } from '@switchboard/resilience';
import type { Logger } from '@switchboard/service-kit';
import { type ChangedCohort, createCohortRecordsStore } from './store.ts';

interface PublisherOptions {
  database: Pick<Database, 'drizzle'>;
  log: Pick<EventLog, 'createTopics' | 'endOffsets' | 'publish' | 'bytesInFlight'>;
  /** Replicas of the topic. */
  replication: number;
  logger: Logger;
}

export interface Publisher {
  /** Returns at once. */
  start(): void;
  /** Lets records that are being published finish. */
  stop(): Promise<void>;
}

/** Records of up to a mebibyte each are read and sent together. */
const BATCH_SIZE = 10;
const IDLE_MS = 500;
/** A reader that was away for longer reads the topic from its start. */
const TOMBSTONE_RETENTION_MS = 30 * 24 * 60 * 60 * 1000;
/** Of a record, without its key. */
const MAX_VALUE_BYTES = MAX_RECORD_BYTES - 10_000;

/**
 * Publishes each change of a cohort to the topic `cohorts`, in order, at least once. One process at a time does so,
 * under a lock. A topic that is new, or ends before what was published to it, gets every cohort again.
 */
export function createCohortsPublisher({ database, log, replication, logger }: PublisherOptions): Publisher {
  const topic: TopicSpec = {
    name: COHORTS_TOPIC,
    partitions: 1,
    replication,
    cleanup: 'compact',
    deadLetter: false,
    tombstoneRetentionMs: TOMBSTONE_RETENTION_MS,
  };
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let isTopicChecked = false;

  async function look(): Promise<void> {
    try {
      if (!isTopicChecked) await log.createTopics([topic]);
      while (!stopping.signal.aborted && (await database.drizzle.transaction(publishNext)));
    } catch (error) {
      isTopicChecked = false;
      throw error;
    }
  }

  /** False when nothing is left to publish, or another process publishes. */
  async function publishNext(tx: Tx): Promise<boolean> {
    const store = createCohortRecordsStore(tx);
    if (!(await store.lock())) return false;
    const changed = await store.oldest(BATCH_SIZE);
    if (changed.length === 0 && isTopicChecked) return false;
    const next = await store.nextOffset();
    const [end = 0n] = await log.endOffsets(topic.name);
    isTopicChecked = true;
    if (next === undefined || end < next) {
      const count = await store.announceAll();
      if (count > 0) logger.warn({ topic: topic.name, cohorts: count }, 'publishing every cohort');
      return true;
    }
    if (changed.length === 0) return false;
    const records = changed.map((one) => recordOf(one, logger));
    const published = await publishInOrder(log, topic.name, records, stopping.signal);
    await store.markPublished(changed, published.offsetOf(records.length - 1) + 1n);
    return true;
  }

  return {
    start() {
      running ??= poll(look, {
        everyMs: IDLE_MS,
        signal: stopping.signal,
        onFailure: (error) => logger.failed('publish cohorts', error),
      });
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function recordOf({ projectId, id, now }: ChangedCohort, logger: Logger): OutgoingRecord {
  const value = now && Buffer.from(JSON.stringify({ projectId, id, ...now } satisfies CohortRecord));
  const key = cohortKey(projectId, id);
  if (value === null || value.length <= MAX_VALUE_BYTES) return { partition: 0, key, value, headers: {} };
  logger.warn(
    { projectId, cohort: id, bytes: value.length },
    'a cohort is too large for a record: insights refuse questions about it',
  );
  const rest: CohortRecord = { projectId, id, match: [], distinctIds: null };
  return { partition: 0, key, value: Buffer.from(JSON.stringify(rest)), headers: {} };
}
