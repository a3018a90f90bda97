import { AsyncLocalStorage } from 'node:async_hooks';
import type { ByteBudget } from '@switchboard/resilience';
import { EventLogUnavailable, messageOf } from './errors.ts';
import { type FirstOffsets, publishedAt } from './placing.ts';
import type { OutgoingRecord, Published } from './types.ts';

/** Records with their sizes, which are computed once on their way to the log. */
export interface SizedRecords {
  records: OutgoingRecord[];
  /** Of each record, as `sizeOf` counts it. */
  sizes: number[];
  /** The sum of the sizes. */
  bytes: number;
}

export interface TopicRecords extends SizedRecords {
  topic: string;
}

export interface Gatherer {
  /**
   * Answers by `deadline` (of `performance.now()`), which must not be before that of an earlier publish. The
   * bytes must have been reserved in the budget; they are released when the records are settled.
   */
  publish(topic: string, share: SizedRecords, deadline: number): Promise<Published>;
  /** Resolves when nothing waits and nothing is in flight. */
  idle(): Promise<void>;
}

interface Entry extends TopicRecords {
  taken: number;
  /** Of each record that was taken: its place among those of its partition in the send, its offset once stored. */
  offsets: number[];
  located: number;
  inFlight: boolean;
  answered: boolean;
  deadline: number;
  resolve(published: Published): void;
  reject(error: Error): void;
}

/** What an overhead of headers, offsets and framing is counted as. */
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
 * One send at a time, at once when none is under way; what arrives meanwhile is gathered for the next one.
 * A publish is answered by its deadline whatever `send` does; its bytes count until `send` lets go of them.
 */
export function createGatherer(options: {
  /** Must settle soon after `deadline` (of `performance.now()`), when nobody waits for these records any more. */
  send(batch: TopicRecords[], deadline: number): Promise<FirstOffsets>;
  budget: ByteBudget;
  maxSendBytes: number;
}): Gatherer {
  const { send, budget, maxSendBytes } = options;
  const outside = AsyncLocalStorage.snapshot();
  const unanswered = new Set<Entry>();
  let waiting: Entry[] = [];
  let sending = false;
  let timer: NodeJS.Timeout | undefined;
  const onIdle: (() => void)[] = [];

  function publish(topic: string, share: SizedRecords, deadline: number): Promise<Published> {
    const { promise, resolve, reject } = Promise.withResolvers<Published>();
    const entry: Entry = {
      topic,
      ...share,
      taken: 0,
      offsets: [],
      located: 0,
      inFlight: false,
      answered: false,
      deadline,
      resolve,
      reject,
    };
    unanswered.add(entry);
    waiting.push(entry);
    timer ??= setTimeout(expire, Math.max(1, deadline - performance.now()));
    // It goes on for others: what it does is not done for the one that happened to begin it.
    if (!sending) void outside(drain);
    return promise;
  }

  async function drain(): Promise<void> {
    sending = true;
    while (waiting.length > 0) {
      const { entries, batch } = take();
      const deadline = entries.reduce((latest, entry) => Math.max(latest, entry.deadline), 0);
      let outcome: FirstOffsets | Error;
      try {
        outcome = await send(batch, deadline);
      } catch (error) {
        outcome = asError(error);
      }
      for (const entry of entries) afterSend(entry, outcome);
    }
    sending = false;
    for (const resolve of onIdle.splice(0)) resolve();
  }

  /** The next records in order of arrival, up to the cap; the last entry may be taken in part. */
  function take(): { entries: Entry[]; batch: TopicRecords[] } {
    const byTopic = new Map<string, TopicRecords & { counts: number[] }>();
    let bytes = 0;
    let count = 0;
    let full = false;
    for (const entry of waiting) {
      const { topic } = entry;
      const gathered = byTopic.get(topic) ?? { topic, records: [], sizes: [], bytes: 0, counts: [] };
      byTopic.set(topic, gathered);
      for (let i = entry.taken; i < entry.records.length; i++) {
        const record = entry.records[i];
        if (!record) break;
        const size = entry.sizes[i] ?? 0;
        full = bytes > 0 && bytes + size > maxSendBytes;
        if (full) break;
        const place = gathered.counts[record.partition] ?? 0;
        gathered.counts[record.partition] = place + 1;
        addSized(gathered, record, size);
        entry.offsets.push(place);
        bytes += size;
        entry.taken = i + 1;
        entry.inFlight = true;
      }
      if (entry.inFlight) count++;
      if (full) break;
    }
    const entries = waiting.slice(0, count);
    waiting = waiting.filter((entry) => entry.taken < entry.records.length);
    const batch = [...byTopic.values()].filter(({ records }) => records.length > 0);
    return { entries, batch };
  }

  function afterSend(entry: Entry, outcome: FirstOffsets | Error): void {
    entry.inFlight = false;
    if (entry.answered) {
      budget.release(entry.bytes);
      return;
    }
    if (outcome instanceof Error) {
      drop(entry);
      answer(entry, outcome);
      return;
    }
    locate(entry, outcome);
    if (entry.taken === entry.records.length) {
      answer(entry);
    }
  }

  function locate(entry: Entry, firstOffset: FirstOffsets): void {
    const { topic, records, offsets, taken } = entry;
    for (let i = entry.located; i < taken; i++) {
      const partition = records[i]?.partition ?? -1;
      offsets[i] = (offsets[i] ?? Number.NaN) + firstOffset(topic, partition);
    }
    entry.located = taken;
  }

  function expire(): void {
    timer = undefined;
    const now = performance.now();
    const late = [...unanswered].filter((entry) => entry.deadline <= now + 1);
    if (late.length > 0) waiting = waiting.filter((entry) => entry.deadline > now + 1);
    for (const entry of late) {
      answer(entry, new EventLogUnavailable('the event log did not store the records in time'));
    }
    const [next] = unanswered;
    if (next) timer = setTimeout(expire, Math.max(1, next.deadline - now));
  }

  function answer(entry: Entry, failure?: Error): void {
    entry.answered = true;
    unanswered.delete(entry);
    if (unanswered.size === 0) {
      clearTimeout(timer);
      timer = undefined;
    }
    if (!entry.inFlight) budget.release(entry.bytes);
    if (failure) entry.reject(failure);
    else entry.resolve(publishedAt(entry.offsets));
  }

  function drop(entry: Entry): void {
    if (entry.taken < entry.records.length) waiting = waiting.filter((other) => other !== entry);
  }

  return {
    publish,
    idle: () => (sending ? new Promise((resolve) => onIdle.push(resolve)) : Promise.resolve()),
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new EventLogUnavailable(messageOf(error));
}
