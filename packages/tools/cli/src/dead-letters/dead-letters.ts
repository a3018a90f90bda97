import { deadLettersOf } from '@switchboard/contracts';
import { type EventLog, type OutgoingRecord, readTopic, type StoredRecord } from '@switchboard/event-log';
import { pause } from '@switchboard/resilience';

/** The consumer group with committed offsets that record how far dead letters were replayed. */
const GROUP = 'dead-letters';
const HEADER_PREFIX = 'dead-letter-';
const POLL_MS = 200;

/** A dead letter that has not been replayed yet, without its value, which may be private. */
export interface DeadLetter {
  topic: string;
  partition: number;
  /** The offset on the dead-letter topic. */
  offset: string;
  deadLetteredAt: string;
  reason: string;
  bytes: number;
  /** The headers of the record, such as its project. */
  headers: Record<string, string>;
}

/** Returns the dead letters of a topic that have not been replayed yet, in order within a partition. */
export async function listDeadLetters(log: EventLog, topic: string): Promise<DeadLetter[]> {
  const from = (await log.lag(GROUP, [deadLettersOf(topic)])).map(({ committed }) => committed);
  const found: DeadLetter[] = [];
  await readTopic(log, deadLettersOf(topic), {
    from,
    onRecord: ({ partition, offset, timestamp, headers, value }) =>
      found.push({
        topic,
        partition,
        offset: String(offset),
        deadLetteredAt: new Date(timestamp).toISOString(),
        reason: headers[`${HEADER_PREFIX}reason`] ?? '',
        bytes: value?.length ?? 0,
        headers: withoutReason(headers),
      }),
  });
  return found;
}

/**
 * Publishes the dead letters that a topic has now to the topic again, and returns their number. If it throws, the
 * unpublished ones remain for the next call, and up to one batch may be published twice.
 */
export async function replayDeadLetters(log: EventLog, topic: string): Promise<number> {
  const letters = deadLettersOf(topic);
  const ends = (await log.lag(GROUP, [letters])).map(({ end }) => end);
  const isDone = async () =>
    (await log.lag(GROUP, [letters])).every(
      ({ partition, committed }) => committed >= (ends[partition] ?? 0n),
    );
  if (await isDone()) return 0;
  let replayed = 0;
  let failure: { error: unknown } | undefined;
  const consumption = await log.consume({
    group: GROUP,
    topics: [letters],
    commit: 'manual',
    async handle(batch) {
      const end = ends[batch.partition] ?? 0n;
      const due = batch.records.filter(({ offset }) => offset < end);
      try {
        const partitions = await log.partitions(topic);
        // All parts of one record get the same partition, even if the number of partitions has changed.
        const placed = due.map((one) => {
          const record = originalOf(one);
          return { ...record, partition: record.partition % partitions };
        });
        if (placed.length > 0) await log.publish(topic, placed);
        await batch.commit(batch.nextOffset < end ? batch.nextOffset : end);
      } catch (error) {
        failure ??= { error };
        throw error;
      }
      replayed += due.length;
    },
  });
  try {
    while (failure === undefined && !(await isDone())) await pause(POLL_MS);
  } finally {
    await consumption.stop();
  }
  if (failure !== undefined) throw failure.error;
  return replayed;
}

/** Returns the record as it was first published. */
function originalOf({ partition, key, value, headers }: StoredRecord): OutgoingRecord {
  const line = headers[`${HEADER_PREFIX}line`];
  const original = withoutReason(headers);
  // One line of a record that has several is published on its own.
  if (line !== undefined && line !== '-1') original['count'] = '1';
  return { partition, key, value, headers: original };
}

function withoutReason(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(HEADER_PREFIX)));
}
