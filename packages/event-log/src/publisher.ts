import type { ByteBudget } from '@switchboard/resilience';
import { EventLogBusy, EventLogUnavailable, RecordTooLarge } from './errors.ts';
import { addSized, createGatherer, type SizedRecords, sizeOf } from './gather.ts';
import type { Sender } from './sender.ts';
import { within } from './timing.ts';
import type { OutgoingRecord, Published } from './types.ts';

/** Largest record accepted, key and headers included. */
export const MAX_RECORD_BYTES = 1_048_576;

/**
 * Bytes gathered into one send. kafkajs makes one record batch a partition of it, which must stay below the
 * topic's `max.message.bytes` (8 MiB by default).
 */
const MAX_SEND_BYTES = 4 * 1024 * 1024;

export interface Publisher {
  publish(topic: string, records: OutgoingRecord[]): Promise<Published>;
  bytesInFlight(): number;
  close(): Promise<void>;
}

/** Splits records among lanes by partition. Each lane sends one batch at a time, so a partition keeps its order. */
export function createPublisher(options: {
  senders: Sender[];
  timeoutMs: number;
  /** Bounds the bytes accepted and not yet acknowledged. */
  budget: ByteBudget;
  /** Throws UnknownTopic; asked once a topic, whose number of partitions never changes. */
  partitionsOf(topic: string): Promise<number>;
}): Publisher {
  const { senders, timeoutMs, budget } = options;
  const lanes = senders.map((sender) =>
    createGatherer({ send: sender.send, budget, maxSendBytes: MAX_SEND_BYTES }),
  );
  const known = new Map<string, number>();
  const asking = new Map<string, Promise<number>>();
  let lookingUp = 0;
  let onLookedUp: (() => void) | undefined;
  let closed = false;

  async function publish(topic: string, records: OutgoingRecord[]): Promise<Published> {
    if (closed) throw new EventLogUnavailable('the event log is closed');
    if (records.length === 0) return nothing;
    const deadline = performance.now() + timeoutMs;
    const shares = split(topic, records);
    let total = 0;
    for (const share of shares.values()) total += share.bytes;
    if (!budget.tryReserve(total)) {
      throw new EventLogBusy(
        `the event log is busy: ${budget.used()} of ${budget.maxBytes} bytes are not acknowledged yet; try again`,
      );
    }
    try {
      const partitions = known.get(topic) ?? (await lookUp(topic, deadline));
      checkPartitions(topic, records, partitions);
    } catch (error) {
      budget.release(total);
      throw error;
    }
    return hand(topic, records, shares, deadline);
  }

  async function hand(
    topic: string,
    all: OutgoingRecord[],
    shares: Map<number, SizedRecords>,
    deadline: number,
  ): Promise<Published> {
    const published: Promise<void>[] = [];
    const byLane: Published[] = [];
    for (const [lane, share] of shares) {
      const sent = lanes[lane]?.publish(topic, share, deadline);
      if (sent === undefined) continue;
      if (shares.size === 1) return sent;
      published.push(
        sent.then((part) => {
          byLane[lane] = part;
        }),
      );
    }
    // Every part is waited for, so that none fails unheard.
    for (const outcome of await Promise.allSettled(published)) {
      if (outcome.status === 'rejected') throw outcome.reason;
    }
    return { offsetOf: (index) => offsetAmong(all, byLane, index) };
  }

  function offsetAmong(records: OutgoingRecord[], byLane: Published[], index: number): bigint | undefined {
    const lane = (records[index]?.partition ?? -1) % lanes.length;
    const before = records.slice(0, index).filter(({ partition }) => partition % lanes.length === lane);
    return byLane[lane]?.offsetOf(before.length);
  }

  async function lookUp(topic: string, deadline: number): Promise<number> {
    lookingUp++;
    try {
      return await within(deadline, `looking up ${topic}`, ask(topic));
    } finally {
      // Once the caller has handed its records on.
      setImmediate(() => {
        lookingUp--;
        if (lookingUp === 0) onLookedUp?.();
      });
    }
  }

  /** Measures every record, and gives each lane its share. */
  function split(topic: string, records: OutgoingRecord[]): Map<number, SizedRecords> {
    const shares = new Map<number, SizedRecords>();
    for (const record of records) {
      const size = sizeOf(record);
      if (size > MAX_RECORD_BYTES) throw tooLarge(topic, size);
      const lane = record.partition % lanes.length;
      const share = shares.get(lane) ?? { records: [], sizes: [], bytes: 0 };
      shares.set(lane, share);
      addSized(share, record, size);
    }
    return shares;
  }

  /** One question at a time, so that a log that is away is not flooded with them. */
  function ask(topic: string): Promise<number> {
    const asked = asking.get(topic);
    if (asked) return asked;
    const answer = options
      .partitionsOf(topic)
      .then((partitions) => {
        known.set(topic, partitions);
        return partitions;
      })
      .finally(() => asking.delete(topic));
    asking.set(topic, answer);
    return answer;
  }

  return {
    publish,
    bytesInFlight: budget.used,
    async close() {
      closed = true;
      if (lookingUp > 0) await new Promise<void>((resolve) => (onLookedUp = resolve));
      await Promise.all(lanes.map((lane) => lane.idle()));
      await Promise.all(senders.map((sender) => sender.close()));
    },
  };
}

const nothing: Published = { offsetOf: () => undefined };

function checkPartitions(topic: string, records: OutgoingRecord[], partitions: number): void {
  for (const { partition } of records) {
    if (Number.isInteger(partition) && partition >= 0 && partition < partitions) continue;
    throw new RangeError(`${topic} has partitions 0 to ${partitions - 1}, not ${partition}`);
  }
}

function tooLarge(topic: string, bytes: number): RecordTooLarge {
  return new RecordTooLarge(
    `a record for ${topic} takes ${bytes} bytes; the event log takes ${MAX_RECORD_BYTES}`,
  );
}
