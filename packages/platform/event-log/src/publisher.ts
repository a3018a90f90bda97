import type { ByteBudget } from '@switchboard/fairness';
import { createBatcher, type Share, sizeOf, type Transport } from './batcher.ts';
import { EventLogBusy, EventLogUnavailable, RecordTooLarge, TopicPaused, UnknownTopic } from './errors.ts';
import { within } from './timing.ts';
import type { OutgoingRecord, Published } from './types.ts';

/** The maximum size of a record in bytes, including key and headers. */
export const MAX_RECORD_BYTES = 1_048_576;

/**
 * The maximum size of a send in bytes. On Kafka, its records of a partition become one record batch, which must stay
 * below the topic's `max.message.bytes` (8 MiB by default).
 */
const MAX_SEND_BYTES = 4 * 1024 * 1024;
/** The maximum per fairness key while several publish. A broker handles a send of this size in a few milliseconds. */
const MAX_BYTES_PER_FAIRNESS_KEY = 256 * 1024;

/** A look-up of this age is repeated in the background. */
const REFRESH_MS = 1_000;
/** The maximum age of a look-up. Longer than one that fails and is repeated takes. */
const MAX_AGE_MS = 8_000;
/** Longer than a publisher uses a look-up and then retries a send. Nothing is published to a topic paused this long. */
export const SETTLE_MS = 15_000;

/** A look-up of a topic. */
interface Found {
  partitions: number;
  /** When the look-up began. */
  at: number;
}

export interface Publisher {
  /** Synchronous if known. Throws UnknownTopic, TopicPaused, or EventLogUnavailable if the look-up times out. */
  partitions(topic: string): number | Promise<number>;
  publish(topic: string, records: OutgoingRecord[], fairnessKey?: string): Promise<Published>;
  /** Publishes to a dead-letter topic, which may have fewer partitions than the topic of the record. */
  publishDeadLetter(topic: string, record: OutgoingRecord): Promise<Published>;
  bytesInFlight(): number;
  close(): Promise<void>;
}

/** Creates a publisher that groups records by partition. A partition has one send at a time, to keep its order. */
export function createPublisher(options: {
  transport: Transport;
  timeoutMs: number;
  /** The limit on accepted bytes that are not acknowledged yet. */
  budget: ByteBudget;
  /** Looks up the number of partitions of a topic. Throws UnknownTopic and TopicPaused. */
  lookUp(topic: string): Promise<number>;
}): Publisher {
  const { transport, timeoutMs, budget } = options;
  const batcher = createBatcher({
    transport,
    budget,
    maxSendBytes: MAX_SEND_BYTES,
    maxBytesPerFairnessKey: MAX_BYTES_PER_FAIRNESS_KEY,
  });
  const found = new Map<string, Found>();
  const lookups = new Map<string, Promise<number>>();
  let openLookups = 0;
  let onLookupsDone: (() => void) | undefined;
  let closed = false;

  /**
   * Publishes records. Not async, and creates no promise if the topic is known, because it runs for every request.
   */
  function publish(topic: string, records: OutgoingRecord[], fairnessKey?: string): Promise<Published> {
    try {
      if (closed) throw new EventLogUnavailable('the event log is closed');
      if (records.length === 0) return Promise.resolve(noOffsets);
      const deadline = performance.now() + timeoutMs;
      const shares = split(topic, records);
      const count = known(topic);
      if (count === undefined) return publishUnknown(topic, shares, deadline, fairnessKey);
      checkPartitions(topic, shares, count);
      if (!batcher.hasRoom(topic, shares)) {
        throw new EventLogBusy(`the event log is busy: a partition of ${topic} is held up; retry shortly`);
      }
      reserve(shares);
      return batcher.publish(topic, shares, deadline, fairnessKey);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async function publishUnknown(
    topic: string,
    shares: Map<number, Share>,
    deadline: number,
    fairnessKey: string | undefined,
  ): Promise<Published> {
    const total = reserve(shares);
    try {
      checkPartitions(topic, shares, await lookUp(topic, deadline));
    } catch (error) {
      budget.release(total);
      throw error;
    }
    return batcher.publish(topic, shares, deadline, fairnessKey);
  }

  function reserve(shares: Map<number, Share>): number {
    let total = 0;
    for (const share of shares.values()) total += share.bytes;
    if (budget.tryReserve(total)) return total;
    throw new EventLogBusy(
      `the event log is busy: ${budget.used()} of ${budget.maxBytes} bytes are in flight; retry shortly`,
    );
  }

  function known(topic: string): number | undefined {
    const last = found.get(topic);
    if (last === undefined) return undefined;
    const age = performance.now() - last.at;
    if (age > MAX_AGE_MS) return undefined;
    if (age > REFRESH_MS) fetch(topic).catch(() => {});
    return last.partitions;
  }

  const partitions = (topic: string) => known(topic) ?? lookUp(topic, performance.now() + timeoutMs);

  async function lookUp(topic: string, deadline: number): Promise<number> {
    openLookups++;
    try {
      return await within(deadline, `looking up ${topic}`, fetch(topic));
    } finally {
      // Runs after the caller has passed its records to the batcher.
      setImmediate(() => {
        openLookups--;
        if (openLookups === 0) onLookupsDone?.();
      });
    }
  }

  /** Runs one look-up per topic at a time, so that an unavailable log is not flooded. */
  function fetch(topic: string): Promise<number> {
    const running = lookups.get(topic);
    if (running) return running;
    const at = performance.now();
    const lookup = options
      .lookUp(topic)
      .then(
        (count) => {
          found.set(topic, { partitions: count, at });
          return count;
        },
        (error) => {
          if (error instanceof TopicPaused || error instanceof UnknownTopic) found.delete(topic);
          throw error;
        },
      )
      .finally(() => lookups.delete(topic));
    lookups.set(topic, lookup);
    return lookup;
  }

  return {
    publish,
    partitions,
    async publishDeadLetter(topic, record) {
      return publish(topic, [{ ...record, partition: record.partition % (await partitions(topic)) }]);
    },
    bytesInFlight: budget.used,
    async close() {
      closed = true;
      if (openLookups > 0) await new Promise<void>((resolve) => (onLookupsDone = resolve));
      await batcher.idle();
      await transport.close();
    },
  };
}

const noOffsets: Published = {
  offsetOf: (index) => {
    throw new RangeError(`no records were published, so none at index ${index}`);
  },
};

/** Computes the size of every record and groups them by partition. */
function split(topic: string, records: OutgoingRecord[]): Map<number, Share> {
  const shares = new Map<number, Share>();
  for (let index = 0; index < records.length; index++) {
    const record = records[index];
    if (record === undefined) continue;
    const size = sizeOf(record);
    if (size > MAX_RECORD_BYTES) throw tooLarge(topic, size);
    const share = shares.get(record.partition);
    if (share === undefined) {
      // Most partitions have one record, and V8 reserves room for 17 when an empty array grows.
      shares.set(record.partition, { records: [record], sizes: [size], bytes: size, indexes: [index] });
      continue;
    }
    share.records.push(record);
    share.sizes.push(size);
    share.indexes.push(index);
    share.bytes += size;
  }
  return shares;
}

function checkPartitions(topic: string, shares: ReadonlyMap<number, Share>, count: number): void {
  for (const partition of shares.keys()) {
    if (Number.isInteger(partition) && partition >= 0 && partition < count) continue;
    throw new RangeError(`${topic} has partitions 0 to ${count - 1}, not ${partition}`);
  }
}

function tooLarge(topic: string, bytes: number): RecordTooLarge {
  return new RecordTooLarge(`a record for ${topic} has ${bytes} bytes; the maximum is ${MAX_RECORD_BYTES}`);
}
