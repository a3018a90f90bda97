import { byPair } from '@switchboard/engine';
import { backoffDelay, pause } from '@switchboard/resilience';
import type { Kafka } from 'kafkajs';
import type { Outcome, PartitionRecords, Transport } from '../batcher.ts';
import { EventLogUnavailable, messageOf, RecordTooLarge } from '../errors.ts';
import { within } from '../timing.ts';
import type { LogEntry } from '../types.ts';
import {
  type Connection,
  createConnection,
  type Identity,
  type ProducedTopics,
  type ProduceRequest,
} from './connection.ts';
import { encodeBatch } from './encoding/record-batch.ts';

/** The broker rejected a record as too large, by a limit that may be configured for the topic. */
export class RefusedAsTooLarge extends RecordTooLarge {}

/** Smaller sends to a partition are not compressed, because preparing for it takes longer than it saves. */
const MIN_COMPRESSED_BYTES = 16_384;

/**
 * No attempt starts this close to the deadline, because its records could be stored after the caller was rejected.
 */
const MIN_ATTEMPT_MS = 200;

/** The share of the broker's time-out within which a slow partition must store its records to count as fast again. */
const FAST_PART_OF_TIMEOUT = 1 / 4;

const MAX_SEQUENCE = 2 ** 31 - 1;

/** The brokers' state of this producer's records in one partition. */
interface PartitionState {
  name: string;
  /**
   * Undefined before the first send, and while it is unknown what was stored. Brokers keep all state of an
   * identity.
   */
  identity: (Identity & { generation: number }) | undefined;
  /** The generation of the last identity that must not be reused. */
  spent: number;
  sequence: number;
  /** Whether an attempt timed out and none was fast since. A slow partition shares no request and no connection. */
  isSlow: boolean;
}

/**
 * Creates an idempotent producer. The partitions of one leader share a request, and each has a separate outcome. A
 * partition that was not stored is sent again, alone and with the same sequence numbers, while the others continue.
 * After records without a response, which may be stored, no other records use their sequence numbers, because the
 * broker would drop those as duplicates.
 *
 * The producer of kafkajs is not used. It keeps a broker's response across retries, so it skips records or stores
 * them twice if partitions move between brokers. It also fails all partitions if the first one fails.
 */
export function createProducer(options: {
  client: Kafka;
  compression: number;
  /** How long a broker waits for the replicas of a send, and then how long the producer waits for a response. */
  brokerTimeoutMs: number;
  attemptTimeoutMs: number;
  onLog?: ((entry: LogEntry) => void) | undefined;
}): Transport {
  const { client, compression, brokerTimeoutMs, attemptTimeoutMs, onLog } = options;
  const shared = createConnection(client);
  // A broker handles the requests of a connection in order, so delayed partitions use separate connections.
  const apart = createConnection(client);
  const stateAt = byPair(
    (topic, partition): PartitionState => ({
      name: `${topic}/${partition}`,
      identity: undefined,
      spent: 0,
      sequence: 0,
      isSlow: false,
    }),
  );
  const failing = new Set<PartitionState>();
  let identities: { generation: number; opening: Promise<Identity> } | undefined;

  const stateOf = ({ topic, partition }: PartitionRecords): PartitionState => stateAt(topic, partition);

  function destinationOf(topic: string, partition: number): string {
    const state = stateAt(topic, partition);
    const leader = shared.leaderOf(topic, partition);
    const isAlone = leader === undefined || state.identity === undefined || state.isSlow;
    return isAlone ? state.name : String(leader);
  }

  async function send(
    destination: string,
    batch: PartitionRecords[],
  ): Promise<(Outcome | Promise<Outcome>)[]> {
    const isTogether = batch.map(({ topic, partition }) => {
      const leader = shared.leaderOf(topic, partition);
      return (
        leader !== undefined &&
        String(leader) === destination &&
        destinationOf(topic, partition) === destination
      );
    });
    const together = batch.filter((_, i) => isTogether[i]);
    const outcomes = together.length > 0 ? await attempt(shared, Number(destination), together) : [];
    return batch.map((one, i) => {
      if (!isTogether[i]) return persist(one);
      const outcome = outcomes.shift() ?? unanswered(one);
      if (typeof outcome === 'number') return succeeded(one, outcome);
      return isFinal(outcome) ? givenUp(one, outcome) : persist(one, outcome);
    });
  }

  /** Sends one request to one broker. Never rejects. */
  async function attempt(
    connection: Connection,
    leader: number,
    batch: PartitionRecords[],
  ): Promise<Outcome[]> {
    // kafkajs limits the time for a response, but not the time until a request is sent.
    const deadline = performance.now() + 2 * attemptTimeoutMs;
    try {
      const topics = await within(deadline, 'publishing to Kafka', produce(connection, leader, batch));
      return batch.map((one) => outcomeOf(one, topics));
    } catch (error) {
      const topics = topicsOf(error);
      return batch.map((one) => (topics ? outcomeOf(one, topics) : asError(error)));
    }
  }

  async function produce(
    connection: Connection,
    leader: number,
    batch: PartitionRecords[],
  ): Promise<ProducedTopics> {
    const byTopic = new Map<string, ProduceRequest['topicData'][number]['partitions']>();
    const encoded = await Promise.all(batch.map(encode));
    for (const [i, { topic }] of batch.entries()) {
      const partitions = byTopic.get(topic) ?? [];
      byTopic.set(topic, partitions);
      const one = encoded[i];
      if (one !== undefined) partitions.push(one);
    }
    const topicData = [...byTopic].map(([topic, partitions]) => ({ topic, partitions }));
    return await connection.produce(leader, { acks: -1, timeout: brokerTimeoutMs, topicData });
  }

  function encode(one: PartitionRecords) {
    const { identity, sequence } = stateOf(one);
    const { partition, records: messages, bytes } = one;
    const numbers = {
      producerId: identity?.producerId ?? '-1',
      producerEpoch: identity?.producerEpoch ?? 0,
      firstSequence: sequence,
    };
    const recordBatch = encodeBatch({
      ...numbers,
      records: messages,
      compression: bytes < MIN_COMPRESSED_BYTES ? 0 : compression,
    });
    const withBatch = (whole: Buffer) => ({ partition, ...numbers, messages, recordBatch: whole });
    return recordBatch instanceof Promise ? recordBatch.then(withBatch) : withBatch(recordBatch);
  }

  /** Sends the records of one partition until they are stored, fail for good, or no caller waits for them. */
  async function persist(one: PartitionRecords, failure?: Error): Promise<Outcome> {
    const state = stateOf(one);
    let last = failure;
    for (let failures = failure ? 1 : 0; ; failures++) {
      if (last) {
        if (isFinal(last)) return givenUp(one, last);
        if (isSequenceError(last)) spend(state);
        state.isSlow ||= isTimeOut(last);
        const wait = backoffDelay(failures - 1, { baseMs: 50, maxMs: 500 });
        if (performance.now() + wait + MIN_ATTEMPT_MS > one.deadline) return givenUp(one, last);
        await pause(wait);
      }
      const started = performance.now();
      const outcome = await attemptApart(state, one, failures > 0);
      if (typeof outcome === 'number') {
        const isFast = performance.now() - started < brokerTimeoutMs * FAST_PART_OF_TIMEOUT;
        if (failures === 0 && isFast) state.isSlow = false;
        // The leaders of the other partitions may have moved, too.
        if (shared.leaderOf(one.topic, one.partition) !== apart.leaderOf(one.topic, one.partition)) {
          shared.refresh(one.topic).catch(() => {});
        }
        return succeeded(one, outcome);
      }
      last = outcome;
    }
  }

  async function attemptApart(
    state: PartitionState,
    one: PartitionRecords,
    mayHaveMoved: boolean,
  ): Promise<Outcome> {
    const { topic, partition, deadline } = one;
    try {
      if (mayHaveMoved || apart.leaderOf(topic, partition) === undefined) {
        await within(deadline, 'looking up the leaders', apart.refresh(topic));
      }
      state.identity ??= await within(deadline, 'registering a producer', nextIdentity(state));
    } catch (error) {
      return asError(error);
    }
    const leader = apart.leaderOf(topic, partition);
    if (leader === undefined) return new EventLogUnavailable(`${topic}/${partition} has no leader`);
    const [outcome = unanswered(one)] = await attempt(apart, leader, [one]);
    return outcome;
  }

  /** Returns an identity newer than the spent one. Partitions share it. */
  async function nextIdentity(state: PartitionState): Promise<Identity & { generation: number }> {
    if (!identities || identities.generation <= state.spent) {
      identities = { generation: state.spent + 1, opening: apart.newIdentity() };
    }
    const { generation, opening } = identities;
    try {
      const identity = { ...(await opening), generation };
      state.sequence = 0;
      return identity;
    } catch (error) {
      if (identities.opening === opening) identities = undefined;
      throw error;
    }
  }

  function spend(state: PartitionState): void {
    state.spent = Math.max(state.spent, state.identity?.generation ?? 0);
    state.identity = undefined;
  }

  function succeeded(one: PartitionRecords, offset: number): number {
    const state = stateOf(one);
    state.sequence += one.records.length;
    // The byte limit of a send also limits its number of records, so the next send stays below the maximum.
    if (state.sequence > MAX_SEQUENCE / 2) spend(state);
    if (failing.delete(state) && failing.size === 0) {
      onLog?.({ level: 'info', message: 'Publishing to Kafka works again' });
    }
    return offset;
  }

  function givenUp(one: PartitionRecords, error: Error): Error {
    const state = stateOf(one);
    spend(state);
    const failure = toLogError(error);
    if (failure instanceof EventLogUnavailable) {
      if (failing.size === 0) {
        const message = `Publishing to Kafka fails, first to ${state.name}`;
        onLog?.({ level: 'warn', message, error: failure, records: one.records });
      }
      failing.add(state);
    }
    return failure;
  }

  return {
    destinationOf,
    send,
    async close() {
      await Promise.all([shared.close(), apart.close()]);
    },
  };
}

/** Returns the outcome of a partition. For records it has stored before, a broker returns their original offset. */
function outcomeOf(one: PartitionRecords, topics: ProducedTopics): Outcome {
  const found = topics
    .find(({ topicName }) => topicName === one.topic)
    ?.partitions.find(({ partition }) => partition === one.partition);
  if (found?.error) return found.error;
  return found && /^\d+$/.test(found.baseOffset) ? Number(found.baseOffset) : unanswered(one);
}

function unanswered({ topic, partition }: PartitionRecords): Error {
  return new EventLogUnavailable(`the response has no offset for ${topic}/${partition}`);
}

/** Returns the partition outcomes of a request that failed for some partitions. */
function topicsOf(error: unknown): ProducedTopics | undefined {
  return error instanceof Error && 'topics' in error && isProduced(error.topics) ? error.topics : undefined;
}

function isProduced(topics: unknown): topics is ProducedTopics {
  return Array.isArray(topics);
}

/** Errors after which the sequence numbers of producer and broker differ. A new identity starts from zero. */
const SEQUENCE_ERRORS = new Set([
  'OUT_OF_ORDER_SEQUENCE_NUMBER',
  'DUPLICATE_SEQUENCE_NUMBER',
  'UNKNOWN_PRODUCER_ID',
  'INVALID_PRODUCER_ID_MAPPING',
  'INVALID_PRODUCER_EPOCH',
  'PRODUCER_FENCED',
]);

function isSequenceError(error: unknown): boolean {
  return SEQUENCE_ERRORS.has(typeOf(error));
}

/** Returns whether retrying cannot change the broker's response. Errors without a type are connection errors. */
function isFinal(error: Error): boolean {
  if (typeOf(error) === '' || isSequenceError(error)) return false;
  return 'retriable' in error && error.retriable === false;
}

function isTimeOut(error: Error): boolean {
  return error.name === 'KafkaJSRequestTimeoutError' || typeOf(error) === 'REQUEST_TIMED_OUT';
}

function typeOf(error: unknown): string {
  return error instanceof Error && 'type' in error ? String(error.type) : '';
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new EventLogUnavailable(messageOf(error));
}

function toLogError(error: Error): Error {
  const type = typeOf(error);
  if (type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE') {
    return new RefusedAsTooLarge(
      `the broker rejected the records: ${error.message}; raise the topic's max.message.bytes`,
    );
  }
  return new EventLogUnavailable(`Kafka did not store the records: ${error.message}`, { cause: error });
}
