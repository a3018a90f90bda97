import type { ByteBudget } from '@switchboard/fairness';
import { createBatcher, type Share, sizeOf, type Transport } from './batcher.ts';
import { EventLogBusy, EventLogUnavailable, RecordTooLarge, TopicMoved } from './errors.ts';
import { within } from './timing.ts';
import type { OutgoingRecord, Placement, Published } from './types.ts';

/** The maximum size of a record in bytes, including key and headers. */
export const MAX_RECORD_BYTES = 1_048_576;

/**
 * The maximum size of a send in bytes. On Kafka, its records of a partition become one record batch, which must stay
 * below the topic's `max.message.bytes` (8 MiB by default).
 */
const MAX_SEND_BYTES = 4 * 1024 * 1024;
/** The maximum per fairness key while several publish. A broker handles a send of this size in a few milliseconds. */
const MAX_BYTES_PER_FAIRNESS_KEY = 256 * 1024;

/** The destination of a topic's records. */
interface Place {
  /** The topic name in the transport. */
  topic: string;
  placement: Placement;
}

export interface Publisher {
  /** Synchronous if known. Throws UnknownTopic, or EventLogUnavailable if the look-up times out. */
  placeOf(topic: string): Place | Promise<Place>;
  placement(topic: string): Placement | Promise<Placement>;
  /** Makes the next publish look up the destination of the topic again. */
  forget(topic: string): void;
  publish(topic: string, records: OutgoingRecord[], fairnessKey?: string): Promise<Published>;
  bytesInFlight(): number;
  close(): Promise<void>;
}

/** Creates a publisher that groups records by partition. A partition has one send at a time, to keep its order. */
export function createPublisher(options: {
  transport: Transport;
  timeoutMs: number;
  /** The limit on accepted bytes that are not acknowledged yet. */
  budget: ByteBudget;
  /** Looks up a topic's destination, once per topic until it is forgotten. Throws UnknownTopic. */
  placeOf(topic: string): Promise<Place>;
}): Publisher {
  const { transport, timeoutMs, budget } = options;
  const batcher = createBatcher({
    transport,
    budget,
    maxSendBytes: MAX_SEND_BYTES,
    maxBytesPerFairnessKey: MAX_BYTES_PER_FAIRNESS_KEY,
  });
  const places = new Map<string, Place>();
  const lookups = new Map<string, Promise<Place>>();
  let openLookups = 0;
  let onLookupsDone: (() => void) | undefined;
  let closed = false;

  /**
   * Publishes records. Not async, and creates no promise if the place is known, because it runs for every request.
   */
  function publish(topic: string, records: OutgoingRecord[], fairnessKey?: string): Promise<Published> {
    try {
      if (closed) throw new EventLogUnavailable('the event log is closed');
      if (records.length === 0) return Promise.resolve(noOffsets);
      const deadline = performance.now() + timeoutMs;
      const shares = split(topic, records);
      const known = places.get(topic);
      if (known === undefined) return publishUnplaced(topic, shares, deadline, fairnessKey);
      const placed = shifted(topic, shares, known);
      if (!batcher.hasRoom(known.topic, placed)) {
        throw new EventLogBusy(`the event log is busy: a partition of ${topic} is held up; retry shortly`);
      }
      reserve(shares);
      return batcher.publish(known.topic, placed, deadline, fairnessKey);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async function publishUnplaced(
    topic: string,
    shares: Map<number, Share>,
    deadline: number,
    fairnessKey: string | undefined,
  ): Promise<Published> {
    const total = reserve(shares);
    let place: Place;
    let placed: Map<number, Share>;
    try {
      place = await lookUp(topic, deadline);
      placed = shifted(topic, shares, place);
    } catch (error) {
      budget.release(total);
      throw error;
    }
    return batcher.publish(place.topic, placed, deadline, fairnessKey);
  }

  function reserve(shares: Map<number, Share>): number {
    let total = 0;
    for (const share of shares.values()) total += share.bytes;
    if (budget.tryReserve(total)) return total;
    throw new EventLogBusy(
      `the event log is busy: ${budget.used()} of ${budget.maxBytes} bytes are in flight; retry shortly`,
    );
  }

  const placeOf = (topic: string) => places.get(topic) ?? lookUp(topic, performance.now() + timeoutMs);

  async function lookUp(topic: string, deadline: number): Promise<Place> {
    openLookups++;
    try {
      return await within(deadline, `looking up ${topic}`, fetchPlace(topic));
    } finally {
      // Runs after the caller has passed its records to the batcher.
      setImmediate(() => {
        openLookups--;
        if (openLookups === 0) onLookupsDone?.();
      });
    }
  }

  /** Runs one look-up per topic at a time, so that an unavailable log is not flooded. */
  function fetchPlace(topic: string): Promise<Place> {
    const running = lookups.get(topic);
    if (running) return running;
    const lookup = options
      .placeOf(topic)
      .then((place) => {
        if (lookups.get(topic) === lookup) places.set(topic, place);
        return place;
      })
      .finally(() => {
        if (lookups.get(topic) === lookup) lookups.delete(topic);
      });
    lookups.set(topic, lookup);
    return lookup;
  }

  return {
    publish,
    placeOf,
    placement(topic) {
      const place = placeOf(topic);
      return place instanceof Promise ? place.then(({ placement }) => placement) : place.placement;
    },
    forget(topic) {
      places.delete(topic);
      lookups.delete(topic);
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

/** Returns the shares by the partition numbers of their place. */
function shifted(
  topic: string,
  shares: Map<number, Share>,
  { placement: { first, count } }: Place,
): Map<number, Share> {
  for (const partition of shares.keys()) {
    if (partition < first && partition >= 0) {
      throw new TopicMoved(`the partitions of ${topic} are ${first} and later now; retry`);
    }
    if (Number.isInteger(partition) && partition >= 0 && partition < first + count) continue;
    throw new RangeError(`${topic} has partitions ${first} to ${first + count - 1}, not ${partition}`);
  }
  return first === 0 ? shares : new Map([...shares].map(([partition, share]) => [partition - first, share]));
}

function tooLarge(topic: string, bytes: number): RecordTooLarge {
  return new RecordTooLarge(`a record for ${topic} has ${bytes} bytes; the maximum is ${MAX_RECORD_BYTES}`);
}
