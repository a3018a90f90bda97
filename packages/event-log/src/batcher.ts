import { AsyncLocalStorage } from 'node:async_hooks';
import type { ByteBudget } from '@switchboard/resilience';
import { EventLogUnavailable, messageOf } from './errors.ts';
import { type FirstOffsets, publishedAt } from './first-offsets.ts';
import type { OutgoingRecord, Published } from './types.ts';

/** Records with their sizes, so that each size is computed once. */
export interface SizedRecords {
  records: OutgoingRecord[];
  /** The `sizeOf` of each record. */
  sizes: number[];
  /** Sum of the sizes. */
  bytes: number;
}

export interface TopicRecords extends SizedRecords {
  topic: string;
}

export interface Batcher {
  /**
   * Settles by `deadline` (in terms of `performance.now()`), which must not be earlier than that of a previous call.
   * The caller reserves the bytes in the budget; the batcher releases them.
   */
  publish(topic: string, sized: SizedRecords, deadline: number): Promise<Published>;
  /** Resolves when nothing is queued or in flight. */
  idle(): Promise<void>;
}

interface PendingPublish extends TopicRecords {
  /** Number of records already put into a batch. */
  batched: number;
  /** Of each batched record: its index within its partition of the send, or its offset once stored. */
  offsets: number[];
  /** Number of records whose offsets are final. */
  stored: number;
  inFlight: boolean;
  settled: boolean;
  deadline: number;
  resolve(published: Published): void;
  reject(error: Error): void;
}

/** Estimated bytes of a record's framing, offset and timestamp. */
const RECORD_OVERHEAD = 64;

export function sizeOf(record: OutgoingRecord): number {
  let bytes = RECORD_OVERHEAD + (record.value?.length ?? 0) + (record.key?.length ?? 0);
  for (const name in record.headers) bytes += name.length + (record.headers[name]?.length ?? 0) + 2;
  return bytes;
}

export function addSized(to: SizedRecords, record: OutgoingRecord, size: number): void {
  to.records.push(record);
  to.sizes.push(size);
  to.bytes += size;
}

/**
 * Keeps one send in flight. An idle batcher sends at once; while a send is in flight, records are batched for the
 * next one. A publish settles by its deadline even if `send` does not; its bytes stay reserved until `send` settles.
 */
export function createBatcher(options: {
  /** Must settle soon after `deadline` (in terms of `performance.now()`), when no caller waits for the result. */
  send(batch: TopicRecords[], deadline: number): Promise<FirstOffsets>;
  budget: ByteBudget;
  maxSendBytes: number;
}): Batcher {
  const { send, budget, maxSendBytes } = options;
  const runInOwnContext = AsyncLocalStorage.snapshot();
  const unsettled = new Set<PendingPublish>();
  let queue: PendingPublish[] = [];
  let sending = false;
  let timer: NodeJS.Timeout | undefined;
  const onIdle: (() => void)[] = [];

  function publish(topic: string, sized: SizedRecords, deadline: number): Promise<Published> {
    const { promise, resolve, reject } = Promise.withResolvers<Published>();
    const pending: PendingPublish = {
      topic,
      ...sized,
      batched: 0,
      offsets: [],
      stored: 0,
      inFlight: false,
      settled: false,
      deadline,
      resolve,
      reject,
    };
    unsettled.add(pending);
    queue.push(pending);
    timer ??= setTimeout(expire, Math.max(1, deadline - performance.now()));
    // The loop serves other callers too, so it must not inherit the trace context of this one.
    if (!sending) void runInOwnContext(drain);
    return promise;
  }

  async function drain(): Promise<void> {
    sending = true;
    while (queue.length > 0) {
      const { publishes, batch } = nextBatch();
      const deadline = publishes.reduce((latest, pending) => Math.max(latest, pending.deadline), 0);
      let outcome: FirstOffsets | Error;
      try {
        outcome = await send(batch, deadline);
      } catch (error) {
        outcome = asError(error);
      }
      for (const pending of publishes) afterSend(pending, outcome);
    }
    sending = false;
    for (const resolve of onIdle.splice(0)) resolve();
  }

  /** The next records in order of arrival, up to the limit. The last publish may be included in part. */
  function nextBatch(): { publishes: PendingPublish[]; batch: TopicRecords[] } {
    const byTopic = new Map<string, TopicRecords & { counts: number[] }>();
    let bytes = 0;
    let count = 0;
    let full = false;
    for (const pending of queue) {
      const { topic } = pending;
      const topicBatch = byTopic.get(topic) ?? { topic, records: [], sizes: [], bytes: 0, counts: [] };
      byTopic.set(topic, topicBatch);
      for (let i = pending.batched; i < pending.records.length; i++) {
        const record = pending.records[i];
        if (!record) break;
        const size = pending.sizes[i] ?? 0;
        full = bytes > 0 && bytes + size > maxSendBytes;
        if (full) break;
        const index = topicBatch.counts[record.partition] ?? 0;
        topicBatch.counts[record.partition] = index + 1;
        addSized(topicBatch, record, size);
        pending.offsets.push(index);
        bytes += size;
        pending.batched = i + 1;
        pending.inFlight = true;
      }
      if (pending.inFlight) count++;
      if (full) break;
    }
    const publishes = queue.slice(0, count);
    queue = queue.filter((pending) => pending.batched < pending.records.length);
    const batch = [...byTopic.values()].filter(({ records }) => records.length > 0);
    return { publishes, batch };
  }

  function afterSend(pending: PendingPublish, outcome: FirstOffsets | Error): void {
    pending.inFlight = false;
    if (pending.settled) {
      budget.release(pending.bytes);
      return;
    }
    if (outcome instanceof Error) {
      dequeue(pending);
      settle(pending, outcome);
      return;
    }
    addFirstOffsets(pending, outcome);
    if (pending.batched === pending.records.length) {
      settle(pending);
    }
  }

  function addFirstOffsets(pending: PendingPublish, firstOffset: FirstOffsets): void {
    const { topic, records, offsets, batched } = pending;
    for (let i = pending.stored; i < batched; i++) {
      const partition = records[i]?.partition ?? -1;
      offsets[i] = (offsets[i] ?? Number.NaN) + firstOffset(topic, partition);
    }
    pending.stored = batched;
  }

  function expire(): void {
    timer = undefined;
    const now = performance.now();
    const late = [...unsettled].filter((pending) => pending.deadline <= now + 1);
    if (late.length > 0) queue = queue.filter((pending) => pending.deadline > now + 1);
    for (const pending of late) {
      settle(pending, new EventLogUnavailable('the event log did not store the records in time'));
    }
    const [next] = unsettled;
    if (next) timer = setTimeout(expire, Math.max(1, next.deadline - now));
  }

  function settle(pending: PendingPublish, failure?: Error): void {
    pending.settled = true;
    unsettled.delete(pending);
    if (unsettled.size === 0) {
      clearTimeout(timer);
      timer = undefined;
    }
    if (!pending.inFlight) budget.release(pending.bytes);
    if (failure) pending.reject(failure);
    else pending.resolve(publishedAt(pending.offsets));
  }

  function dequeue(pending: PendingPublish): void {
    if (pending.batched < pending.records.length) queue = queue.filter((other) => other !== pending);
  }

  return {
    publish,
    idle: () => (sending ? new Promise((resolve) => onIdle.push(resolve)) : Promise.resolve()),
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new EventLogUnavailable(messageOf(error));
}
