import { createRequire } from 'node:module';
import { eventually } from '@switchboard/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { adapters, newGroup, newTopic, type TestLog } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import type { EventLog } from '../types.ts';

/** What a broker answers while it starts, at the moments that matter: hard to meet with a broker that is killed. */
const require = createRequire(import.meta.url);
type Call = 'heartbeat' | 'joinGroup';
const Broker: { prototype: Record<Call, () => Promise<unknown>> } = require('kafkajs/src/broker');
const { KafkaJSProtocolError } = require('kafkajs/src/errors');
const answered = (type: string) =>
  new KafkaJSProtocolError({ type, code: 1, message: type, retriable: true });

const isLoading = answered('GROUP_LOAD_IN_PROGRESS');

const kafka = adapters.find((adapter) => adapter.name === 'Kafka');

describe.skipIf(!kafka?.available)('a consumer', () => {
  let logs: TestLog | undefined;
  beforeAll(async () => {
    logs = await kafka?.start();
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => logs?.close());

  /** A group with one member, which has read and committed. */
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
  }, 90_000);
});
