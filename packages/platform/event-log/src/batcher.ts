import { AsyncLocalStorage } from 'node:async_hooks';
import { byPair, type Member, Members } from '@switchboard/engine';
import type { ByteBudget } from '@switchboard/fairness';
import { EventLogUnavailable } from './errors.ts';
import type { OutgoingRecord, Published } from './types.ts';

/** Records with their sizes, so that each size is computed once. */
export interface SizedRecords {
  records: OutgoingRecord[];
  /** The `sizeOf` of each record. */
  sizes: number[];
  /** Sum of the sizes. */
  bytes: number;
}

/** The records of one partition in a publish. */
export interface Share extends SizedRecords {
  /** The index of each record in the publish. */
  indexes: number[];
}

/** The records of one partition in a send. */
export interface PartitionRecords extends SizedRecords {
  topic: string;
  partition: number;
  /** The time, by `performance.now()`, after which no caller waits for the outcome. */
  deadline: number;
}

/** The offset of the first record once all are stored, or the error that prevented it. */
export type Outcome = number | Error;

export interface Transport {
  /** Returns the destination of a partition. The partitions of a destination share its sends. */
  destinationOf(topic: string, partition: number): string;
  /**
   * Resolves, and never rejects, when the destination is free for its next send. The result has the outcome of each
   * partition, or a promise of it for a delayed partition. A partition has no other send until its outcome is known.
   */
  send(destination: string, batch: PartitionRecords[]): Promise<(Outcome | Promise<Outcome>)[]>;
  close(): Promise<void>;
}

export interface Batcher {
  /**
   * Returns whether each partition may hold these records too. A stalled partition must not exhaust the whole budget.
   */
  hasRoom(topic: string, shares: Map<number, Share>): boolean;
  /**
   * Publishes records and settles by `deadline`, a time of `performance.now()` that may be earlier than that of a
   * previous call. The caller reserves the bytes in the budget; the batcher releases them.
   */
  publish(
    topic: string,
    shares: Map<number, Share>,
    deadline: number,
    fairnessKey?: string,
  ): Promise<Published>;
  /** Resolves when nothing is queued or in flight. */
  idle(): Promise<void>;
}

interface Publish extends Member {
  shares: QueuedShare[];
  offsets: number[];
  /** The number of records that are not stored yet. */
  missing: number;
  settled: boolean;
  deadline: number;
  resolve(published: Published): void;
  reject(error: Error): void;
}

interface QueuedShare extends Share {
  publish: Publish;
  fairnessKey: string;
  /** The round of this share. In each round, every fairness key has one share. */
  round: number;
  queue: Queue;
  /** The number of records already included in a send. */
  sent: number;
}

/** The records of a partition that wait for its next send. */
interface Queue {
  topic: string;
  partition: number;
  shares: QueuedShare[];
  /** Bytes queued and in flight. */
  bytes: number;
  /** `ready`: listed by its destination. `sending`: in a send without an outcome yet. */
  state: 'idle' | 'ready' | 'sending';
}

interface Destination {
  name: string;
  ready: Queue[];
  /** Whether a send is in flight or about to start. */
  isSending: boolean;
}

/** Consecutive records of a share that are part of a send. */
interface Part {
  share: QueuedShare;
  first: number;
  count: number;
  bytes: number;
}

/** Byte limits on the part of a queue that a send takes. */
interface Bounds {
  room: number;
  perKey: number;
  mayBeNone: boolean;
}

interface QueueSend {
  queue: Queue;
  records: PartitionRecords;
  parts: Part[];
}

/** The share of the budget that one partition may use. */
const MAX_PART_OF_BUDGET = 1 / 4;

/**
 * How long the limit applies after a publish by another fairness key. Without it, the next publish of that key would
 * wait for a large send in flight.
 */
const SEVERAL_MS = 1_000;

/** The estimated size in bytes of a record's framing, offset and timestamp. */
const RECORD_OVERHEAD = 64;

export function sizeOf(record: OutgoingRecord): number {
  let bytes = RECORD_OVERHEAD + (record.value?.length ?? 0) + (record.key?.length ?? 0);
  for (const name in record.headers) bytes += name.length + (record.headers[name]?.length ?? 0) + 2;
  return bytes;
}

/**
 * Keeps one send in flight per destination. An idle destination sends at the end of the event loop turn. While a send is in
 * flight, records are batched for the next one. A publish settles by its deadline even if its sends do not; their
 * bytes stay reserved until the sends settle.
 */
export function createBatcher(options: {
  transport: Pick<Transport, 'destinationOf' | 'send'>;
  budget: ByteBudget;
  maxSendBytes: number;
  /** The bytes a send takes from each fairness key while several publish, so that a large one barely lengthens it. */
  maxBytesPerFairnessKey: number;
}): Batcher {
  const { transport, budget, maxSendBytes, maxBytesPerFairnessKey } = options;
  const runInOwnContext = AsyncLocalStorage.snapshot();
  const queueOf = byPair(
    (topic: string, partition: number): Queue => ({ topic, partition, shares: [], bytes: 0, state: 'idle' }),
  );
  const destinations = new Map<string, Destination>();
  const unsettled = new Members<Publish>();
  let lastFairnessKey: string | undefined;
  let severalUntil = 0;
  let sends = 0;
  let timer: NodeJS.Timeout | undefined;
  let expiresAt = Number.POSITIVE_INFINITY;
  const onIdle: (() => void)[] = [];

  function hasRoom(topic: string, shares: Map<number, Share>): boolean {
    for (const [partition, share] of shares) {
      const { bytes } = queueOf(topic, partition);
      if (bytes > 0 && bytes + share.bytes > budget.maxBytes * MAX_PART_OF_BUDGET) return false;
    }
    return true;
  }

  /** Releases queued bytes that are stored or dropped. */
  function release(queue: Queue, bytes: number): void {
    queue.bytes -= bytes;
    budget.release(bytes);
  }

  function publish(
    topic: string,
    shares: Map<number, Share>,
    deadline: number,
    fairnessKey = '',
  ): Promise<Published> {
    return new Promise((resolve, reject) => {
      const pending: Publish = {
        shares: [],
        offsets: [],
        missing: 0,
        settled: false,
        deadline,
        place: -1,
        resolve,
        reject,
      };
      unsettled.add(pending);
      expireAt(deadline);
      if (fairnessKey !== lastFairnessKey) {
        if (lastFairnessKey !== undefined) severalUntil = performance.now() + SEVERAL_MS;
        lastFairnessKey = fairnessKey;
      }
      for (const [partition, { records, sizes, bytes, indexes }] of shares) {
        const queue = queueOf(topic, partition);
        const share = {
          records,
          sizes,
          bytes,
          indexes,
          publish: pending,
          queue,
          fairnessKey,
          round: 0,
          sent: 0,
        };
        pending.shares.push(share);
        pending.missing += records.length;
        enqueue(queue, share);
        queue.bytes += bytes;
      }
      advance(pending.shares);
    });
  }

  /** Inserts a share after the earlier shares of its fairness key, which has one share in each round. */
  function enqueue({ shares }: Queue, share: QueuedShare): void {
    const end = shares.at(-1);
    if (end === undefined || end.fairnessKey === share.fairnessKey) {
      share.round = end === undefined ? 0 : end.round + 1;
      shares.push(share);
      return;
    }
    const last = shares.findLast(({ fairnessKey }) => fairnessKey === share.fairnessKey);
    share.round = last === undefined ? (shares[0]?.round ?? 0) : last.round + 1;
    shares.splice(shares.findLastIndex(({ round }) => round <= share.round) + 1, 0, share);
  }

  /** Adds queues to the ready lists of their destinations and starts the sends. */
  function advance(touched: readonly { queue: Queue }[]): void {
    for (const { queue } of touched) {
      if (queue.state !== 'idle' || queue.shares.length === 0) continue;
      const name = transport.destinationOf(queue.topic, queue.partition);
      let destination = destinations.get(name);
      if (destination === undefined) {
        destination = { name, ready: [], isSending: false };
        destinations.set(name, destination);
      }
      queue.state = 'ready';
      destination.ready.push(queue);
      startSoon(destination);
    }
  }

  /** Starts the send after the current turn, so that the publishes of one turn share a send. */
  function startSoon(destination: Destination): void {
    if (destination.isSending || destination.ready.length === 0) return;
    destination.isSending = true;
    // A send serves other callers too, so it must not inherit the trace context of this one.
    setImmediate(runInOwnContext, start, destination);
  }

  function start(destination: Destination): void {
    const batch = nextBatch(destination);
    if (batch.length > 0) void send(destination, batch);
    else destination.isSending = false;
  }

  async function send(destination: Destination, batch: QueueSend[]): Promise<void> {
    sends += batch.length;
    const outcomes = await transport.send(
      destination.name,
      batch.map(({ records }) => records),
    );
    const free: QueueSend[] = [];
    for (const [i, one] of batch.entries()) {
      const outcome = outcomes[i] ?? new EventLogUnavailable('the event log returned no outcome');
      if (outcome instanceof Promise) {
        void outcome.then((later) => {
          settleSend(one, later);
          advance([one]);
        });
        continue;
      }
      settleSend(one, outcome);
      free.push(one);
    }
    destination.isSending = false;
    advance(free);
    startSoon(destination);
  }

  /** Returns the next records of the ready queues, in order of arrival, up to the limit. */
  function nextBatch(destination: Destination): QueueSend[] {
    const batch: QueueSend[] = [];
    const areSeveral = performance.now() < severalUntil || hasSeveralFairnessKeys(destination);
    const perKey = areSeveral ? maxBytesPerFairnessKey / destination.ready.length : maxSendBytes;
    let bytes = 0;
    while (bytes < maxSendBytes) {
      const [queue] = destination.ready;
      if (!queue) break;
      const hasExpired = queue.shares.length === 0;
      const one = take(queue, { room: maxSendBytes - bytes, perKey, mayBeNone: bytes > 0 });
      if (one.parts.length === 0 && !hasExpired) break;
      destination.ready.shift();
      queue.state = hasExpired ? 'idle' : 'sending';
      if (!hasExpired) batch.push(one);
      bytes += one.records.bytes;
    }
    return batch;
  }

  /**
   * Takes records of up to `room` bytes, and of up to `perKey` bytes per fairness key. Takes at least one record
   * per key, and at least one in total unless `mayBeNone`. A share may be included in part.
   */
  function take(queue: Queue, { room, perKey, mayBeNone }: Bounds): QueueSend {
    const { topic, partition } = queue;
    const records: PartitionRecords = { topic, partition, records: [], sizes: [], bytes: 0, deadline: 0 };
    const parts: Part[] = [];
    const taken = new Map<string, number>();
    let isFull = false;
    for (const share of queue.shares) {
      const part: Part = { share, first: share.sent, count: 0, bytes: 0 };
      let own = taken.get(share.fairnessKey) ?? 0;
      for (let i = share.sent; i < share.records.length; i++) {
        const record = share.records[i];
        const size = share.sizes[i] ?? 0;
        const isFirst = records.records.length === 0 && !mayBeNone;
        isFull = !record || (!isFirst && records.bytes + size > room);
        if (!record || isFull) break;
        if (own > 0 && own + size > perKey) {
          // Later records of the fairness key must wait too, to keep their order.
          own = Number.POSITIVE_INFINITY;
          break;
        }
        own += size;
        records.records.push(record);
        records.sizes.push(size);
        records.bytes += size;
        part.count++;
        part.bytes += size;
      }
      taken.set(share.fairnessKey, own);
      share.sent += part.count;
      if (part.count > 0) {
        parts.push(part);
        records.deadline = Math.max(records.deadline, share.publish.deadline);
      }
      if (isFull) break;
    }
    queue.shares = queue.shares.filter(({ sent, records: all }) => sent < all.length);
    return { queue, records, parts };
  }

  function settleSend({ queue, parts }: QueueSend, outcome: Outcome): void {
    const failure = failureOf(outcome);
    let offset = Number(outcome);
    for (const { share, first, count, bytes } of parts) {
      const { publish: pending, indexes } = share;
      release(queue, bytes);
      if (failure) fail(pending, failure);
      for (let i = first; i < first + count; i++) pending.offsets[indexes[i] ?? -1] = offset++;
      pending.missing -= count;
      if (pending.missing === 0 && !pending.settled) {
        settled(pending);
        pending.resolve(publishedAt(pending.offsets));
      }
    }
    queue.state = 'idle';
    sends--;
    resolveIdle();
  }

  /** Starts the timer or moves it to an earlier time. */
  function expireAt(deadline: number): void {
    if (deadline >= expiresAt) return;
    clearTimeout(timer);
    expiresAt = deadline;
    timer = setTimeout(expire, Math.max(1, deadline - performance.now()));
  }

  function expire(): void {
    expiresAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const pending of unsettled) {
      if (pending.deadline > now + 1) next = Math.min(next, pending.deadline);
      else fail(pending, new EventLogUnavailable('the event log did not store the records in time'));
    }
    expireAt(next);
  }

  /** Rejects a publish and drops its unsent records. */
  function fail(pending: Publish, error: Error): void {
    if (pending.settled) return;
    for (const share of pending.shares) {
      if (share.sent === share.records.length) continue;
      for (let i = share.sent; i < share.records.length; i++) release(share.queue, share.sizes[i] ?? 0);
      share.queue.shares = share.queue.shares.filter((one) => one !== share);
    }
    settled(pending);
    pending.reject(error);
  }

  function settled(pending: Publish): void {
    pending.settled = true;
    unsettled.delete(pending);
    if (unsettled.size > 0) return;
    clearTimeout(timer);
    expiresAt = Number.POSITIVE_INFINITY;
    resolveIdle();
  }

  function resolveIdle(): void {
    if (sends > 0 || unsettled.size > 0) return;
    for (const resolve of onIdle.splice(0)) resolve();
  }

  return {
    hasRoom,
    publish,
    idle: () =>
      new Promise((resolve) => {
        onIdle.push(resolve);
        resolveIdle();
      }),
  };
}

function hasSeveralFairnessKeys({ ready }: Destination): boolean {
  const [first] = ready[0]?.shares ?? [];
  // Shares are ordered by round, so the first or second share shows whether there is another fairness key.
  return ready.some(({ shares }) =>
    shares.slice(0, 2).some(({ fairnessKey }) => first !== undefined && fairnessKey !== first.fairnessKey),
  );
}

/** Returns the error of an outcome. Only an outcome with an offset is stored. */
function failureOf(outcome: Outcome): Error | undefined {
  if (outcome instanceof Error) return outcome;
  if (Number.isSafeInteger(outcome) && outcome >= 0) return undefined;
  return new EventLogUnavailable(`the event log returned no offset (${outcome})`);
}

function publishedAt(offsets: readonly number[]): Published {
  return {
    offsetOf(index) {
      const offset = offsets[index];
      if (offset === undefined)
        throw new RangeError(`${offsets.length} records were published, but none at index ${index}`);
      return BigInt(offset);
    },
  };
}
