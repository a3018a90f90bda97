import { createRequire } from 'node:module';
import { eventually } from '@switchboard/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { adapters, newGroup, newTopic, type TestLog } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { EventLog, RecordBatch } from '../types.ts';

/** Simulates responses of a starting broker at exact moments, which killing a real broker rarely produces. */
const require = createRequire(import.meta.url);
type Call = 'heartbeat' | 'joinGroup';
const Broker: { prototype: Record<Call, () => Promise<unknown>> } = require('kafkajs/src/broker');
const { KafkaJSProtocolError } = require('kafkajs/src/errors');
const answered = (type: string) =>
  new KafkaJSProtocolError({ type, code: 1, message: type, retriable: true });

const isLoading = answered('GROUP_LOAD_IN_PROGRESS');

const kafka = adapters.find((adapter) => adapter.name === 'Kafka');

describe.skipIf(!kafka?.available)('a consumer that rejoins its group', () => {
  let logs: TestLog | undefined;
  beforeAll(async () => {
    logs = await kafka?.start();
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => logs?.close());

  /** Creates a group with one member that has read and committed. */
  async function reader(log: EventLog) {
    const topic = await newTopic(log);
    const group = newGroup();
    const seen: string[] = [];
    await log.consume({
      group,
      topics: [topic],
      leaseMs: 6_000,
      handle: async ({ records }) => void seen.push(...records.map(({ value }) => String(value))),
    });
    const behind = async () => (await log.lag(group, [topic])).map((one) => one.behind);
    return {
      publish: (value: string) => log.publish(topic, [record(value)]),
      hasRead: (value: string) =>
        eventually(
          async () => {
            expect(seen).toContain(value);
            expect(await behind()).toEqual([0n, 0n]);
          },
          { withinMs: 30_000 },
        ),
    };
  }

  it('keeps consuming when a rejoin fails while it is still a member', async () => {
    const log = logs?.open();
    if (!log) return;
    const { publish, hasRead } = await reader(log);
    await publish('before');
    await hasRead('before');
    vi.spyOn(Broker.prototype, 'heartbeat').mockRejectedValueOnce(answered('NOT_COORDINATOR_FOR_GROUP'));
    const join = vi.spyOn(Broker.prototype, 'joinGroup').mockRejectedValueOnce(isLoading);
    await eventually(() => expect(join).toHaveBeenCalled(), { withinMs: 20_000 });
    await publish('after');
    await hasRead('after');
  });

  it('keeps what it holds of its remaining partitions, and reads on, when a member joins', async () => {
    const log = logs?.open();
    if (!log || !logs) return;
    const topic = await newTopic(log, { partitions: 4 });
    const group = newGroup();
    const held = new Map<number, RecordBatch[]>();
    const revoked: number[] = [];
    const common = { group, topics: [topic], commit: 'manual' as const, leaseMs: 6_000 };
    await log.consume({
      ...common,
      onRevoked: (_, partition) => revoked.push(partition),
      handle: async (batch) => void held.set(batch.partition, [...(held.get(batch.partition) ?? []), batch]),
    });
    const publish = (value: string) =>
      log.publish(
        topic,
        [0, 1, 2, 3].map((partition) => record(value, partition)),
      );
    await publish('first');
    await eventually(() => expect(held.size).toBe(4), { withinMs: 20_000 });
    const ofOther = new Set<number>();
    await logs.open().consume({
      ...common,
      handle: async ({ partition }) => void ofOther.add(partition),
    });
    await eventually(() => expect(ofOther.size).toBe(2), { withinMs: 20_000 });
    expect(new Set(revoked)).toEqual(ofOther);

    const kept = [0, 1, 2, 3].filter((partition) => !ofOther.has(partition));
    await publish('second');
    await eventually(
      () => {
        for (const partition of kept) {
          const batches = held.get(partition) ?? [];
          const values = batches.flatMap(({ records }) => records).map(({ value }) => String(value));
          expect(values).toEqual(['first', 'second']);
        }
      },
      { withinMs: 20_000 },
    );
    for (const partition of kept) {
      const [first] = held.get(partition) ?? [];
      expect(first?.signal.aborted).toBe(false);
      await first?.commit();
    }
    const committed = await log.committedOffsets(group, topic);
    expect(committed).toEqual([0, 1, 2, 3].map((partition) => (kept.includes(partition) ? 1n : 0n)));
  });

  it('reads every partition when it stores its own offsets, undisturbed by others that start', async () => {
    const log = logs?.open();
    if (!log || !logs) return;
    const topic = await newTopic(log);
    const group = newGroup();
    const common = { group, topics: [topic], leaseMs: 6_000 };
    await log.publish(topic, [record('a', 0), record('b', 0), record('c', 1)]);
    const revoked: number[] = [];
    async function follow(reader: EventLog, start: [number, bigint][]) {
      const seen: string[] = [];
      const consumption = await reader.consume({
        ...common,
        from: async () => new Map(start),
        onRevoked: (_, partition) => revoked.push(partition),
        handle: async ({ records }) => void seen.push(...records.map(({ value }) => String(value))),
      });
      return { seen, consumption };
    }
    const sorted = (seen: string[]) => seen.toSorted().join('');
    const first = await follow(log, [[0, 1n]]);
    await eventually(() => expect(sorted(first.seen)).toBe('bc'), { withinMs: 20_000 });
    const second = await follow(logs.open(), []);
    await eventually(() => expect(sorted(second.seen)).toBe('abc'), { withinMs: 20_000 });
    await log.publish(topic, [record('d', 0), record('e', 1)]);
    await eventually(() => expect(sorted(first.seen) + sorted(second.seen)).toBe('bcdeabcde'), {
      withinMs: 20_000,
    });
    await eventually(async () => {
      const lags = await first.consumption.lag();
      expect(lags.map(({ committed, behind }) => [committed, behind])).toEqual([
        [3n, 0n],
        [2n, 0n],
      ]);
    });
    expect(revoked).toEqual([]);
    expect(await log.committedOffsets(group, topic)).toEqual([0n, 0n]);
  });
});
