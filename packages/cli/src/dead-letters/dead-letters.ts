import { deadLettersOf } from '@switchboard/contracts';
import { type EventLog, type OutgoingRecord, readTopic, type StoredRecord } from '@switchboard/event-log';
import { pause } from '@switchboard/resilience';

/** Its committed offsets say how far dead letters were replayed. */
const GROUP = 'dead-letters';
const HEADER_PREFIX = 'dead-letter-';
const POLL_MS = 200;

/** A dead letter that was not replayed yet. It carries no value, which may be private. */
export interface DeadLetter {
  topic: string;
  partition: number;
  /** On the dead-letter topic. */
  offset: string;
  deadLetteredAt: string;
  reason: string;
  bytes: number;
  /** The headers of the record, such as its project. */
  headers: Record<string, string>;
}

/** The dead letters of a topic that were not replayed yet, in order within a partition. */
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
 * Publishes the dead letters of a topic to it again, up to those there are now, and returns how many. If it throws,
 * those not published yet are left for the next time; up to a batch may be published twice.
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
        const { first, count } = await log.placement(topic);
        // The same for all parts of a whole, also where the topic was given other partitions since.
        const placed = due.map((one) => {
          const record = originalOf(one);
          return { ...record, partition: first + (record.partition % count) };
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

/** The record as it was published first. */
function originalOf({ partition, key, value, headers }: StoredRecord): OutgoingRecord {
  const line = headers[`${HEADER_PREFIX}line`];
  const original = withoutReason(headers);
  // A single line of a record of several, on its own.
  if (line !== undefined && line !== '-1') original['count'] = '1';
  return { partition, key, value, headers: original };
}

function withoutReason(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(HEADER_PREFIX)));
}
