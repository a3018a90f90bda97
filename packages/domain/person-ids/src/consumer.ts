import { PEOPLE_TOPIC, type PersonRecord, parsePersonKey, personRecord } from '@switchboard/contracts';
import type { Database, Tx } from '@switchboard/database';
import {
  type BackgroundConsumer,
  createConsumer,
  type EventLog,
  type FailureLog,
  type RecordBatch,
} from '@switchboard/event-log';
import { createPersonIds, type DistinctId } from './person-ids.ts';

interface ConsumerOptions {
  /** `<service>.person-ids`. */
  group: string;
  database: Pick<Database, 'drizzle'>;
  log: EventLog;
  logger: FailureLog & { error(fields: object, message: string): void };
  /**
   * Runs in the transaction that applies a batch, after its changes. An id that is parted is only included if it was
   * joined: it may have been erased before.
   */
  applied?: (tx: Tx, batch: RecordBatch, changed: readonly DistinctId[]) => Promise<void>;
}

interface Change extends DistinctId {
  /** Null if the distinct id is parted. */
  now: PersonRecord | null;
}

/** Keeps `person_ids` up to date with the topic `people`, which the flags service creates. */
export function createPersonIdsConsumer({
  group,
  database,
  log,
  logger,
  applied,
}: ConsumerOptions): BackgroundConsumer {
  const topics = [PEOPLE_TOPIC];

  async function handle(batch: RecordBatch): Promise<void> {
    // One statement changes a row once, so only the last record of a distinct id is applied.
    const changes = new Map<string, Change>();
    for (const { key, value } of batch.records) {
      const named = key === null ? undefined : parsePersonKey(key);
      const now = value === null ? null : parse(value);
      if (key === null || named === undefined || now === undefined)
        logger.error({ key }, 'skipped unreadable record of people');
      else changes.set(key, { ...named, now });
    }
    const all = [...changes.values()];
    await database.drizzle.transaction(async (tx) => {
      const ids = createPersonIds(tx);
      const joined = all.map(({ now }) => now).filter((now) => now !== null);
      await ids.save(joined);
      const parted = await ids.remove(all.filter(({ now }) => now === null));
      await applied?.(tx, batch, [...joined, ...parted]);
    });
  }

  async function consume() {
    await log.endOffsets(PEOPLE_TOPIC);
    return log.consume({ group, topics, handle });
  }

  return createConsumer({ consume, topics, logger });
}

function parse(value: Buffer): PersonRecord | undefined {
  try {
    return personRecord.safeParse(JSON.parse(String(value))).data;
  } catch {
    return undefined;
  }
}
