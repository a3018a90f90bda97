import type { RecordBatch, StoredRecord } from '@switchboard/event-log';
import type { Undecodable } from './decode.ts';
import { eventKey } from './event-key.ts';
import type { EventsStore } from './store.ts';

type DeadLetterStore = Pick<EventsStore, 'hasDeadLetter' | 'insertDeadLetter'>;

/**
 * Publishes undecodable lines and records to the dead-letter topic with the reason, and returns how many are new.
 * Those of a redelivery are already there.
 */
export async function putDeadLetters(
  store: DeadLetterStore,
  batch: Pick<RecordBatch, 'deadLetter'>,
  found: readonly (Undecodable & { record: StoredRecord })[],
): Promise<number> {
  let count = 0;
  for (const { record, line, value, reason, projectId, eventId } of found) {
    const { partition, offset, timestamp } = record;
    const place = { partition, offset, line, recordedAt: timestamp };
    if (await store.hasDeadLetter(place)) continue;
    const headers = { ...record.headers, 'dead-letter-line': String(line) };
    // Published before it is recorded: after a crash between the two it is there twice rather than never.
    await batch.deadLetter({ ...record, value: value && Buffer.from(value), headers }, reason);
    const key = projectId && eventId ? eventKey(projectId, eventId) : null;
    await store.insertDeadLetter(place, { key, reason });
    count++;
  }
  return count;
}
