import { randomUUID } from 'node:crypto';
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
import { stickyAssigner } from './assigner.ts';
import { retrying } from './client.ts';
import { createCommits } from './commits.ts';
import { lastOffsetOf, recordsOf } from './records.ts';
import type { Listing } from './topics/listing.ts';

/** When a handler takes longer, its partition is paused so that other partitions of the broker are not delayed. */
const SLOW_MS = 1_000;

const LEAVE_MS = 5_000;

/** How long a commit waits for the group to settle. */
const REJOIN_MS = 10_000;
const REJOIN_POLL_MS = 100;

interface Held {
  ownership: Ownership;
  /** The offset after the last delivered record; undefined before the first. */
  position: bigint | undefined;
  /** The offset after the last record that the handler has finished. */
  handled: bigint | undefined;
  /** Resumes the partition, which is paused while a slow handler runs. */
  resume?: (() => void) | undefined;
}

export interface KafkaConsumption {
  /** Returns the position of a consumer that commits nothing, by `topic/partition`. */
  positions(): Map<string, bigint>;
  stop(): Promise<void>;
}

/**
 * Consumes until stopped. If the kafkajs consumer ends for any reason, a new one replaces it after a back-off. A
 * partition that this member keeps in a rebalance continues from its position, so that work in progress is not lost.
 */
export function startConsumer(options: {
  client: Kafka;
  consume: ConsumeOptions;
  listing: Pick<Listing, 'partitions'>;
  publishDeadLetter: Progress['publishDeadLetter'];
  onLog?: ((entry: LogEntry) => void) | undefined;
}): KafkaConsumption {
  const { client, consume, listing, onLog } = options;
  const stopping = new AbortController();
  const held = new Map<string, Held>();
  const working = new Map<string, Promise<unknown>>();
  const commits = createCommits(consume.group, onLog);
  const leaseMs = consume.leaseMs ?? 10_000;
  const maxBatchBytes = consume.maxBatchBytes ?? 1024 * 1024;
  /** Whether to start from the offsets of `from`. False once an offset was out of range. */
  let isFromStored = true;
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
    try {
      const starts = (isFromStored && (await consume.from?.())) || new Map();
      // kafkajs retries a topic that does not exist for its whole retry period.
      await Promise.all(consume.topics.map(listing.partitions));
      return await consumeFrom(starts);
    } catch (error) {
      return error;
    }
  }

  async function consumeFrom(starts: ReadonlyMap<number, bigint>): Promise<unknown> {
    let joined = { memberId: '', generation: -1 };
    const consumer = client.consumer({
      // A separate group does not have to wait for other or dead members.
      groupId: consume.from ? `${consume.group}.${randomUUID()}` : consume.group,
      partitionAssigners: [stickyAssigner(() => ({ generation: joined.generation, owned: owned() }))],
      sessionTimeout: leaseMs,
      heartbeatInterval: Math.floor(leaseMs / 4),
      maxWaitTimeInMs: 500,
      minBytes: consume.minFetchBytes ?? 1,
      maxBytes: 8 * maxBatchBytes,
      maxBytesPerPartition: maxBatchBytes,
      allowAutoTopicCreation: false,
      retry: { ...retrying(60), restartOnFailure: async () => false },
    });
    const { promise: ended, resolve: end } = Promise.withResolvers<unknown>();
    let isRejoining = false;
    let isReset = false;
    consumer.on(consumer.events.CRASH, ({ payload }) => end(payload.error));
    consumer.on(consumer.events.REBALANCING, ({ payload }) => {
      isRejoining = true;
      if (!payload.isTopicUnknown) return;
      // A topic was deleted. A repartition creates it again once all members have left.
      revokeAll();
      end(new Error('a topic does not exist'));
    });
    consumer.on(consumer.events.OFFSET_OUT_OF_RANGE, ({ payload: { topic, partition, offset } }) => {
      // kafkajs then commits the start of the partition, so a later commit of held records could skip records.
      isRejoining = true;
      revokeAll();
      isReset = true;
      isFromStored = false;
      onLog?.(offsetsWentBack({ group: consume.group, topic, partition, position: offset }));
    });
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      isRejoining = false;
      isReset = false;
      const { memberId, generationId } = payload;
      // In a generation that this member missed, another member may have owned the partitions.
      if (memberId !== joined.memberId || generationId !== joined.generation + 1) revokeAll();
      joined = { memberId, generation: generationId };
      assign(consumer, starts, payload.memberAssignment);
    });
    consumer.on(consumer.events.FETCH_START, () => {
      // If it cannot rejoin, for example while a broker starts, kafkajs continues with its previous membership, which
      // the group may or may not still accept.
      if (isRejoining) end(new Error('could not rejoin the group'));
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
    if (stopping.signal.aborted) {
      await Promise.allSettled(working.values());
      await commits.settled();
    }
    // Otherwise kafkajs would first retry an unavailable broker for its whole retry period.
    const leaving = consumer.disconnect();
    await within(performance.now() + LEAVE_MS, 'leaving the group', leaving).catch(() => {});
  }

  async function eachBatch(payload: EachBatchPayload): Promise<void> {
    const { topic, partition } = payload.batch;
    const key = `${topic}/${partition}`;
    const holder = held.get(key);
    if (!holder || stopping.signal.aborted || payload.isStale()) return;
    const { promise: slow, resolve: continueSlow } = Promise.withResolvers<'slow'>();
    const timer = setTimeout(continueSlow, SLOW_MS, 'slow');
    const work = process(key, holder, payload, () => continueSlow('slow'));
    const track = work.catch(() => {});
    working.set(key, track);
    const done = track.then(() => {
      clearTimeout(timer);
      if (working.get(key) === track) working.delete(key);
    });
    if ((await Promise.race([work, slow])) !== 'slow') return;
    // The pause lets the other partitions of the broker be fetched.
    const resume = payload.pause();
    holder.resume = resume;
    void done.then(() => {
      if (holder.resume === resume) release(holder);
    });
  }

  async function process(
    key: string,
    holder: Held,
    payload: EachBatchPayload,
    onFailure: () => void,
  ): Promise<void> {
    // Work from before the partition was lost and regained may still be running.
    await working.get(key);
    const { ownership } = holder;
    const { topic, partition } = ownership;
    const progress: Progress = {
      publishDeadLetter: options.publishDeadLetter,
      commit: async (owner, offset) => consume.from || commit(payload, owner, offset),
      commitSoon(owner, offset) {
        if (consume.from === undefined) commits.soon(owner, offset, (...of) => commit(payload, ...of));
      },
    };
    // Decodes one part at a time, because few fetched bytes may decode to many.
    for (let part: Batch | undefined = payload.batch; part; part = await part.next()) {
      const lastOffset = lastOffsetOf(part);
      const { position = 0n } = holder;
      // These records were fetched both before and after a rebalance.
      if (lastOffset < position) continue;
      holder.position = lastOffset + 1n;
      const records = recordsOf(part, ownership).filter(({ offset }) => offset >= position);
      const fetched = { topic, partition, records, nextOffset: lastOffset + 1n };
      const handled = await deliver(ownership, fetched, { consume, progress, onLog, onFailure });
      if (!handled || ownership.lost()) return;
      holder.handled = lastOffset + 1n;
      payload.resolveOffset(String(lastOffset));
      if (ownership.signal.aborted) return;
    }
  }

  /** Returns the owned partitions by topic. */
  function owned(): Record<string, number[]> {
    const found: Record<string, number[]> = {};
    for (const { ownership } of held.values()) {
      const { topic, partition } = ownership;
      found[topic] = [...(found[topic] ?? []), partition];
    }
    return found;
  }

  function assign(
    consumer: Consumer,
    starts: ReadonlyMap<number, bigint>,
    assignment: Record<string, number[]>,
  ): void {
    const assigned = Object.entries(assignment).flatMap(([topic, partitions]) =>
      partitions.map((partition) => ({ key: `${topic}/${partition}`, topic, partition })),
    );
    const keys = new Set(assigned.map(({ key }) => key));
    for (const [key, holder] of [...held]) if (!keys.has(key)) revoke(key, holder);
    if (stopping.signal.aborted) return;
    for (const { key, topic, partition } of assigned) {
      const start = starts.get(partition);
      const ownership = createOwnership(topic, partition);
      const holder = held.get(key) ?? { ownership, position: start, handled: start };
      held.set(key, holder);
      if (holder.position !== undefined) {
        consumer.seek({ topic, partition, offset: String(holder.position) });
      }
    }
  }

  function revokeAll(): void {
    for (const [key, holder] of [...held]) revoke(key, holder);
  }

  function revoke(key: string, holder: Held): void {
    held.delete(key);
    holder.ownership.lose();
    release(holder);
    consume.onRevoked?.(holder.ownership.topic, holder.ownership.partition);
  }

  return {
    positions() {
      const known = [...held.values()].flatMap(({ ownership: { topic, partition }, handled }) =>
        handled === undefined ? [] : [[`${topic}/${partition}`, handled] as const],
      );
      return new Map(known);
    },
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

/**
 * Commits an offset. Waits while the group rebalances. The broker rejects it if another member owns the partition.
 */
async function commit(payload: EachBatchPayload, ownership: Ownership, offset: bigint): Promise<void> {
  const { topic, partition } = payload.batch;
  const offsets = { topics: [{ topic, partitions: [{ partition, offset: String(offset) }] }] };
  for (const deadline = performance.now() + REJOIN_MS; ; ) {
    if (ownership.lost()) throw lostError(ownership);
    try {
      return await payload.commitOffsetsIfNecessary(offsets);
    } catch (error) {
      const type = String(error instanceof Error && 'type' in error ? error.type : '');
      if (ownership.lost() || LOST.has(type)) throw lostError(ownership);
      if (!REBALANCING.has(type) || performance.now() > deadline) {
        throw new EventLogUnavailable(`cannot commit ${topic}/${partition}: ${messageOf(error)}`, {
          cause: error,
        });
      }
    }
    await pause(REJOIN_POLL_MS);
  }
}

const LOST = new Set(['UNKNOWN_MEMBER_ID', 'FENCED_INSTANCE_ID']);
const REBALANCING = new Set(['REBALANCE_IN_PROGRESS', 'ILLEGAL_GENERATION']);
