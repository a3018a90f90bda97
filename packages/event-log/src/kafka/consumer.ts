import { backoffDelay, pause } from '@switchboard/resilience';
import type { Batch, Consumer, EachBatchPayload, Kafka } from 'kafkajs';
import {
  createOwnership,
  deliver,
  lostError,
  type Ownership,
  offsetsWentBack,
  type Progress,
} from '../deliver.ts';
import { EventLogUnavailable, messageOf } from '../errors.ts';
import { within } from '../timing.ts';
import type { ConsumeOptions, LogEntry } from '../types.ts';
import { retrying } from './client.ts';
import { lastOffsetOf, recordsOf } from './records.ts';

/** A handler that takes longer does not hold up the other partitions of its broker. */
const SLOW_MS = 1_000;

const LEAVE_MS = 5_000;

interface Held {
  ownership: Ownership;
  /** The running work on this partition: its next batch starts after it. */
  resume?: (() => void) | undefined;
}

export interface KafkaConsumption {
  stop(): Promise<void>;
}

/** Consumes until stopped. If the kafkajs consumer ends for any reason, a new one replaces it after a back-off. */
export function startConsumer(options: {
  client: Kafka;
  consume: ConsumeOptions;
  publishDeadLetter: Progress['publishDeadLetter'];
  onLog?: ((entry: LogEntry) => void) | undefined;
}): KafkaConsumption {
  const { client, consume, onLog } = options;
  const stopping = new AbortController();
  const held = new Map<string, Held>();
  const working = new Map<string, Promise<unknown>>();
  const leaseMs = consume.leaseMs ?? 10_000;
  const maxBatchBytes = consume.maxBatchBytes ?? 1024 * 1024;
  const running = supervise();

  async function supervise(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      const started = performance.now();
      const error = await runOnce();
      revokeAll();
      if (stopping.signal.aborted) return;
      if (performance.now() - started > 30_000) failures = 0;
      if (error !== undefined && ++failures === 1) {
        onLog?.({
          level: 'warn',
          message: `Reading as ${consume.group} stopped, retrying: ${messageOf(error)}`,
          error,
        });
      }
      await pause(backoffDelay(failures - 1, { baseMs: 100, maxMs: 2_000 }), stopping.signal);
    }
  }

  /** Resolves with the reason the consumer ended, or with undefined if that has been logged. */
  async function runOnce(): Promise<unknown> {
    const consumer = client.consumer({
      groupId: consume.group,
      sessionTimeout: leaseMs,
      heartbeatInterval: Math.floor(leaseMs / 4),
      maxWaitTimeInMs: 500,
      minBytes: 1,
      maxBytes: 8 * maxBatchBytes,
      maxBytesPerPartition: maxBatchBytes,
      allowAutoTopicCreation: false,
      retry: { ...retrying(60), restartOnFailure: async () => false },
    });
    const { promise: ended, resolve: end } = Promise.withResolvers<unknown>();
    let isRevoked = false;
    let isReset = false;
    const revoke = (): void => {
      isRevoked = true;
      revokeAll();
    };
    consumer.on(consumer.events.CRASH, ({ payload }) => end(payload.error));
    consumer.on(consumer.events.REBALANCING, revoke);
    consumer.on(consumer.events.OFFSET_OUT_OF_RANGE, ({ payload: { topic, partition, offset } }) => {
      // kafkajs commits the start of the partition after this: a later commit of what is held could pass over records.
      revoke();
      isReset = true;
      onLog?.(offsetsWentBack({ group: consume.group, topic, partition, position: offset }));
    });
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      isRevoked = false;
      isReset = false;
      assign(payload.memberAssignment);
    });
    consumer.on(consumer.events.FETCH_START, () => {
      // If it cannot join, for example while a broker starts, kafkajs continues with its previous membership. If the
      // group still accepts that, nobody would read the partitions revoked here.
      if (isRevoked) end(new Error('could not rejoin the group'));
    });
    const onStop = (): void => end(undefined);
    stopping.signal.addEventListener('abort', onStop, { once: true });
    try {
      await consumer.connect();
      await consumer.subscribe({ topics: consume.topics, fromBeginning: true });
      if (stopping.signal.aborted) return undefined;
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: 64,
        eachBatch,
      });
      const reason = await ended;
      return isReset ? undefined : reason;
    } catch (error) {
      return error;
    } finally {
      stopping.signal.removeEventListener('abort', onStop);
      await finish(consumer);
    }
  }

  async function finish(consumer: Consumer): Promise<void> {
    // Running handlers finish first, so that their work is committed before the partitions are released.
    if (stopping.signal.aborted) await Promise.allSettled(working.values());
    // kafkajs would first retry an unavailable broker for as long as it is allowed to.
    const leaving = consumer.disconnect();
    await within(performance.now() + LEAVE_MS, 'leaving the group', leaving).catch(() => {});
  }

  async function eachBatch(payload: EachBatchPayload): Promise<void> {
    const { topic, partition } = payload.batch;
    const key = `${topic}/${partition}`;
    const holder = held.get(key);
    if (!holder || stopping.signal.aborted || payload.isStale()) return;
    const { ownership } = holder;
    const { promise: slow, resolve: continueSlow } = Promise.withResolvers<'slow'>();
    const timer = setTimeout(continueSlow, SLOW_MS, 'slow');
    const work = process(key, ownership, payload, () => continueSlow('slow'));
    const track = work.catch(() => {});
    working.set(key, track);
    const done = track.then(() => {
      clearTimeout(timer);
      if (working.get(key) === track) working.delete(key);
    });
    if ((await Promise.race([work, slow])) !== 'slow') return;
    // Paused, so that the other partitions of its broker are fetched.
    const resume = payload.pause();
    holder.resume = resume;
    void done.then(() => {
      if (holder.resume === resume) release(holder);
    });
  }

  async function process(
    key: string,
    ownership: Ownership,
    payload: EachBatchPayload,
    onFailure: () => void,
  ): Promise<void> {
    // Work from before the partition was lost and regained may still be running.
    await working.get(key);
    const { topic, partition } = payload.batch;
    const progress: Progress = {
      publishDeadLetter: options.publishDeadLetter,
      commit: (owner, offset) => commit(payload, owner, offset),
    };
    // One part after the other is decoded, because few fetched bytes may decode to many.
    for (let part: Batch | undefined = payload.batch; part; part = await part.next()) {
      const lastOffset = lastOffsetOf(part);
      const fetched = { topic, partition, records: recordsOf(part), nextOffset: lastOffset + 1n };
      const handled = await deliver(ownership, fetched, { consume, progress, onLog, onFailure });
      if (!handled || ownership.lost()) return;
      payload.resolveOffset(String(lastOffset));
      if (ownership.signal.aborted) return;
    }
  }

  function assign(assignment: Record<string, number[]>): void {
    revokeAll();
    if (stopping.signal.aborted) return;
    for (const [topic, partitions] of Object.entries(assignment)) {
      for (const partition of partitions) {
        held.set(`${topic}/${partition}`, { ownership: createOwnership(topic, partition) });
      }
    }
  }

  function revokeAll(): void {
    for (const [key, holder] of [...held]) {
      held.delete(key);
      holder.ownership.lose();
      release(holder);
      consume.onRevoked?.(holder.ownership.topic, holder.ownership.partition);
    }
  }

  return {
    async stop() {
      stopping.abort();
      for (const holder of held.values()) holder.ownership.stop();
      await running;
    },
  };
}

function release(holder: Held): void {
  const { resume } = holder;
  holder.resume = undefined;
  resume?.();
}

/** The broker rejects it if the group has rebalanced since the batch was fetched. */
async function commit(payload: EachBatchPayload, ownership: Ownership, offset: bigint): Promise<void> {
  const { topic, partition } = ownership;
  if (ownership.lost()) throw lostError(ownership);
  try {
    await payload.commitOffsetsIfNecessary({
      topics: [{ topic, partitions: [{ partition, offset: String(offset) }] }],
    });
  } catch (error) {
    const type = error instanceof Error && 'type' in error ? error.type : '';
    if (ownership.lost() || LOST.has(String(type))) throw lostError(ownership);
    throw new EventLogUnavailable(`cannot commit ${topic}/${partition}: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

const LOST = new Set(['ILLEGAL_GENERATION', 'UNKNOWN_MEMBER_ID', 'FENCED_INSTANCE_ID']);
