import { createRequire } from 'node:module';
import { type MockInstance, vi } from 'vitest';

/** Replaces the calls of kafkajs to a broker, to produce situations that are rare on a real cluster. */
const require = createRequire(import.meta.url);
type Call = 'connect' | 'disconnect' | 'isConnected' | 'metadata' | 'initProducerId' | 'produce';
const Broker: { prototype: Record<Call, (...given: never[]) => unknown> } = require('kafkajs/src/broker');
const { parse } = require('kafkajs/src/protocol/requests/produce/v3/response');
const { errorCodes } = require('kafkajs/src/protocol/error');

interface Entry {
  partition: number;
  firstSequence: number;
  producerId?: string;
  messages: { value: Buffer | null }[];
}

interface ProduceRequest {
  producerId?: string;
  topicData: { topic: string; partitions: Entry[] }[];
}

export interface ScriptedKafka {
  topic: string;
  /** The node that leads each partition, or -1. */
  leaders: number[];
  /** The values stored in each partition. */
  stored: string[][];
  /** The partitions of each produce request so far, by node. */
  requests: { node: number; partitions: number[] }[];
  /** Runs before each response. */
  before(node: number, partitions: number[]): void | Promise<void>;
  /** Returns the error of a node for a partition, and whether the node stored the records regardless. */
  refuse(node: number, partition: number): { type: string; stored?: boolean } | undefined;
  /** Returns whether a node omits a partition from its response. */
  omit(node: number, partition: number): boolean;
}

/** Simulates two brokers behind kafkajs's own cluster and protocol code. Restore with `vi.restoreAllMocks()`. */
export function scriptKafka(leaders: number[]): ScriptedKafka {
  const nodes = [1, 2].map((nodeId) => ({ nodeId, host: 'scripted', port: nodeId }));
  const kafka: ScriptedKafka = {
    topic: 'events',
    leaders,
    stored: leaders.map(() => []),
    requests: [],
    before: () => {},
    refuse: () => undefined,
    omit: () => false,
  };
  const appended = new Map<string, number>();
  let producers = 0;

  const code = (type: string): number =>
    errorCodes.find((one: { type: string; code: number }) => one.type === type)?.code ?? -1;

  function store({ partition, producerId, firstSequence, messages }: Entry): number {
    // A broker recognizes a stored batch by its producer and sequence number.
    const name = `${partition} ${producerId} ${firstSequence}`;
    const known = appended.get(name);
    if (known !== undefined) return known;
    const log = kafka.stored[partition] ?? [];
    const offset = log.length;
    log.push(...messages.map(({ value }) => String(value)));
    appended.set(name, offset);
    return offset;
  }

  function answer(node: number, entry: Entry) {
    const { partition } = entry;
    const refusal =
      kafka.refuse(node, partition) ??
      (kafka.leaders[partition] === node ? undefined : { type: 'NOT_LEADER_FOR_PARTITION', stored: false });
    if (refusal && !refusal.stored) return { partition, errorCode: code(refusal.type), baseOffset: '-1' };
    const offset = store(entry);
    if (refusal) return { partition, errorCode: code(refusal.type), baseOffset: '-1' };
    return { partition, errorCode: 0, baseOffset: String(offset) };
  }

  async function produce(this: { nodeId: number }, request: ProduceRequest) {
    const node = Number(this.nodeId);
    const entries = request.topicData.flatMap((one) => one.partitions);
    const partitions = entries.map(({ partition }) => partition);
    kafka.requests.push({ node, partitions });
    await kafka.before(node, partitions);
    return await parse({
      topics: request.topicData.map(({ topic, partitions: sent }) => ({
        topicName: topic,
        partitions: sent
          .map((entry) =>
            answer(node, { ...entry, producerId: entry.producerId ?? request.producerId ?? '' }),
          )
          .filter(({ partition }) => !kafka.omit(node, partition)),
      })),
    });
  }

  const replaced: Record<Call, (...given: never[]) => unknown> = {
    connect: async () => {},
    disconnect: async () => {},
    isConnected: () => true,
    initProducerId: async () => ({ producerId: String(++producers), producerEpoch: 0 }),
    metadata: async () => ({
      brokers: nodes,
      controllerId: 1,
      topicMetadata: [
        {
          topicErrorCode: 0,
          topic: kafka.topic,
          partitionMetadata: kafka.leaders.map((leader, partitionId) => ({
            partitionErrorCode: leader < 0 ? 5 : 0,
            partitionId,
            leader,
            replicas: [1, 2],
            isr: [1, 2],
          })),
        },
      ],
    }),
    produce,
  };
  for (const name of Object.keys(replaced) as Call[]) {
    const spy: MockInstance = vi.spyOn(Broker.prototype, name);
    spy.mockImplementation(replaced[name]);
  }
  return kafka;
}
