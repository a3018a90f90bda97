import type { ByteBudget } from '@switchboard/resilience';
import { addSized, createBatcher, type SizedRecords, sizeOf } from './batcher.ts';
import { EventLogBusy, EventLogUnavailable, RecordTooLarge } from './errors.ts';
import type { Sender } from './sender.ts';
import { within } from './timing.ts';
import type { OutgoingRecord, Published } from './types.ts';

/** Largest record accepted, key and headers included. */
export const MAX_RECORD_BYTES = 1_048_576;

/**
 * Maximum bytes of a send. kafkajs turns it into one record batch per partition, which must stay below the topic's
 * `max.message.bytes` (8 MiB by default).
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
  /** Limits the bytes accepted and not yet acknowledged. */
  budget: ByteBudget;
  /** Throws UnknownTopic. Called once per topic, because its number of partitions never changes. */
  partitionsOf(topic: string): Promise<number>;
}): Publisher {
  const { senders, timeoutMs, budget } = options;
  const lanes = senders.map((sender) =>
    createBatcher({ send: sender.send, budget, maxSendBytes: MAX_SEND_BYTES }),
  );
  const partitionCounts = new Map<string, number>();
  const lookups = new Map<string, Promise<number>>();
  let openLookups = 0;
  let onLookupsDone: (() => void) | undefined;
  let closed = false;

  async function publish(topic: string, records: OutgoingRecord[]): Promise<Published> {
    if (closed) throw new EventLogUnavailable('the event log is closed');
    if (records.length === 0) return noOffsets;
    const deadline = performance.now() + timeoutMs;
    const shares = split(topic, records);
    let total = 0;
    for (const share of shares.values()) total += share.bytes;
    if (!budget.tryReserve(total)) {
      throw new EventLogBusy(
        `the event log is busy: ${budget.used()} of ${budget.maxBytes} bytes are in flight; retry shortly`,
      );
    }
    try {
      const partitions = partitionCounts.get(topic) ?? (await lookUp(topic, deadline));
      checkPartitions(topic, records, partitions);
    } catch (error) {
      budget.release(total);
      throw error;
    }
    return publishShares(topic, records, shares, deadline);
  }

  async function publishShares(
    topic: string,
    all: OutgoingRecord[],
    shares: Map<number, SizedRecords>,
    deadline: number,
  ): Promise<Published> {
    const published: Promise<void>[] = [];
    const byLane: Published[] = [];
    for (const [lane, share] of shares) {
      const publishing = lanes[lane]?.publish(topic, share, deadline);
      if (publishing === undefined) continue;
      if (shares.size === 1) return publishing;
      published.push(
        publishing.then((part) => {
          byLane[lane] = part;
        }),
      );
    }
    // Wait for every lane, so that no rejection is unhandled.
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
    openLookups++;
    try {
      return await within(deadline, `looking up ${topic}`, fetchPartitions(topic));
    } finally {
      // After the caller has passed its records to the lanes.
      setImmediate(() => {
        openLookups--;
        if (openLookups === 0) onLookupsDone?.();
      });
    }
  }

  /** Computes the size of every record and assigns it to the lane of its partition. */
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

  /** One lookup per topic at a time, so that an unavailable log is not flooded. */
  function fetchPartitions(topic: string): Promise<number> {
    const running = lookups.get(topic);
    if (running) return running;
    const lookup = options
      .partitionsOf(topic)
      .then((partitions) => {
        partitionCounts.set(topic, partitions);
        return partitions;
      })
      .finally(() => lookups.delete(topic));
    lookups.set(topic, lookup);
    return lookup;
  }

  return {
    publish,
    bytesInFlight: budget.used,
    async close() {
      closed = true;
      if (openLookups > 0) await new Promise<void>((resolve) => (onLookupsDone = resolve));
      await Promise.all(lanes.map((lane) => lane.idle()));
      await Promise.all(senders.map((sender) => sender.close()));
    },
  };
}

const noOffsets: Published = { offsetOf: () => undefined };

function checkPartitions(topic: string, records: OutgoingRecord[], partitions: number): void {
  for (const { partition } of records) {
    if (Number.isInteger(partition) && partition >= 0 && partition < partitions) continue;
    throw new RangeError(`${topic} has partitions 0 to ${partitions - 1}, not ${partition}`);
  }
}

function tooLarge(topic: string, bytes: number): RecordTooLarge {
  return new RecordTooLarge(`a record for ${topic} has ${bytes} bytes; the maximum is ${MAX_RECORD_BYTES}`);
}
