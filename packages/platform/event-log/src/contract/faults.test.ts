import { createByteBudget } from '@switchboard/fairness';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EventLogBusy, EventLogUnavailable } from '../errors.ts';
import { collect, newGroup, newTopic } from '../testing/adapters.ts';
import { record } from '../testing/records.ts';
import { type BreakableLog, breakable } from '../testing/servers.ts';
import type { EventLog, LogEntry } from '../types.ts';

const slow = { timeout: 90_000 };

describe.each(breakable)('faults of $name', ({ start }) => {
  let server: BreakableLog | undefined;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server?.remove());

  /** Publishes consecutive numbers until stopped. Returns the acknowledged ones. */
  function publishNumbers(log: EventLog, topic: string) {
    const acknowledged: string[] = [];
    const failures: unknown[] = [];
    let going = true;
    const done = (async () => {
      for (let i = 0; going; i++) {
        await log.publish(topic, [record(`${i}`)]).then(
          () => acknowledged.push(`${i}`),
          (error) => failures.push(error),
        );
      }
    })();
    const stop = async (): Promise<void> => {
      going = false;
      await done;
    };
    return { acknowledged, failures, stop };
  }

  it(
    'publish is rejected in time while the log is frozen, and works again without a restart once it is thawed',
    slow,
    async (test) => {
      if (!server) return test.skip();
      const entries: LogEntry[] = [];
      const log = server.open({ publishTimeoutMs: 1_000, onLog: (entry) => entries.push(entry) });
      const topic = await newTopic(log);
      const seen: string[] = [];
      const consumption = await log.consume({
        group: newGroup(),
        topics: [topic],
        handle: async (batch) => void seen.push(...batch.records.map((one) => String(one.value))),
      });
      await log.publish(topic, [record('before')]);
      await eventually(() => expect(seen).toEqual(['before']));
      await server.freeze();
      try {
        for (let round = 0; round < 4; round++) {
          const outcomes = await Promise.allSettled([log.publish(topic, [record('during')]), log.ping()]);
          for (const one of outcomes) {
            expect(one.status === 'rejected' && one.reason).toBeInstanceOf(EventLogUnavailable);
          }
        }
      } finally {
        await server.thaw();
      }
      await eventually(() => log.publish(topic, [record('after')]));
      await eventually(() => expect(seen).toContain('after'), { withinMs: 30_000 });
      await eventually(() => expect(log.bytesInFlight()).toBe(0), { withinMs: 20_000 });
      const said = entries.filter((entry) => entry.message.startsWith('Publishing'));
      expect(said.map((entry) => entry.level)).toEqual(['warn', 'info']);
      await consumption.stop();
      await log.close();
    },
  );

  it('bytes in flight stay below the bound while the log is frozen under load', slow, async (test) => {
    if (!server) return test.skip();
    const maxBytesInFlight = 1_000_000;
    const log = server.open({ publishTimeoutMs: 1_000, budget: createByteBudget(maxBytesInFlight) });
    const topic = await newTopic(log);
    await log.publish(topic, [record('before')]);
    await server.freeze();
    try {
      const reasons = new Set<unknown>();
      for (let round = 0; round < 3; round++) {
        const publishes = Array.from({ length: 50 }, () =>
          log.publish(topic, [{ partition: 0, key: null, value: Buffer.alloc(100_000), headers: {} }]),
        );
        expect(log.bytesInFlight()).toBeLessThanOrEqual(maxBytesInFlight);
        for (const one of await Promise.allSettled(publishes)) {
          if (one.status === 'rejected') reasons.add(one.reason.constructor);
        }
      }
      expect(reasons).toEqual(new Set([EventLogUnavailable, EventLogBusy]));
    } finally {
      await server.thaw();
    }
    await eventually(() => log.publish(topic, [record('after')]), { withinMs: 20_000 });
    await eventually(() => expect(log.bytesInFlight()).toBe(0), { withinMs: 20_000 });
    await log.close();
  });

  it(
    'acknowledged records are stored in order after the log was killed and restarted',
    slow,
    async (test) => {
      if (!server) return test.skip();
      const log = server.open({ publishTimeoutMs: 1_000 });
      const topic = await newTopic(log, { partitions: 1 });
      const seen: string[] = [];
      const consumption = await log.consume({
        group: newGroup(),
        topics: [topic],
        handle: async (batch) => void seen.push(...batch.records.map((one) => String(one.value))),
      });
      const load = publishNumbers(log, topic);
      await eventually(() => expect(load.acknowledged.length).toBeGreaterThan(20));
      await server.kill();
      await eventually(() => expect(load.failures.length).toBeGreaterThan(1));
      await server.restart();
      const before = load.acknowledged.length;
      await eventually(() => expect(load.acknowledged.length).toBeGreaterThan(before + 20), {
        withinMs: 30_000,
      });
      await load.stop();
      for (const failure of load.failures) expect(failure).toBeInstanceOf(EventLogUnavailable);
      const last = load.acknowledged.at(-1) ?? '';
      await eventually(() => expect(seen).toContain(last), { withinMs: 30_000 });
      const { records } = await collect(log, [topic], Number((await log.endOffsets(topic))[0]));
      const stored = records.map((one) => String(one.value));
      const wanted = new Set(load.acknowledged);
      expect([...new Set(stored)].filter((one) => wanted.has(one))).toEqual(load.acknowledged);
      const read = new Set(seen);
      expect(load.acknowledged.filter((one) => !read.has(one))).toEqual([]);
      await consumption.stop();
      await log.close();
    },
  );

  it(
    'an interruption shorter than the time-out goes unnoticed, and nothing is stored twice',
    slow,
    async (test) => {
      if (!server) return test.skip();
      const log = server.open({ publishTimeoutMs: 30_000 });
      const topic = await newTopic(log, { partitions: 1 });
      const load = publishNumbers(log, topic);
      await eventually(() => expect(load.acknowledged.length).toBeGreaterThan(20));
      await server.kill();
      await server.restart();
      const before = load.acknowledged.length;
      await eventually(() => expect(load.acknowledged.length).toBeGreaterThan(before + 20), {
        withinMs: 30_000,
      });
      await load.stop();
      expect(load.failures).toEqual([]);
      const { records } = await collect(log, [topic], load.acknowledged.length);
      expect(records.map((one) => String(one.value))).toEqual(load.acknowledged);
      await log.close();
    },
  );

  it('the log is unavailable before it starts, and works once it is started', slow, async (test) => {
    if (!server) return test.skip();
    const earlier = server.open();
    const topic = await newTopic(earlier);
    await earlier.close();
    await server.kill();
    const log = server.open({ publishTimeoutMs: 500 });
    const seen: string[] = [];
    const consumption = await log.consume({
      group: newGroup(),
      topics: [topic],
      handle: async (batch) => void seen.push(...batch.records.map((one) => String(one.value))),
    });
    await expect(log.publish(topic, [record('a')])).rejects.toThrow(EventLogUnavailable);
    await expect(log.ping()).rejects.toThrow(EventLogUnavailable);
    await expect(log.endOffsets(topic)).rejects.toThrow(EventLogUnavailable);
    await server.restart();
    await eventually(() => log.publish(topic, [record('b')]), { withinMs: 20_000 });
    await eventually(() => expect(seen).toContain('b'), { withinMs: 20_000 });
    await consumption.stop();
    await log.close();
  });

  it('closing completes while the log is frozen', slow, async (test) => {
    if (!server) return test.skip();
    const log = server.open({ publishTimeoutMs: 500 });
    const topic = await newTopic(log);
    await log.publish(topic, [record('before')]);
    await server.freeze();
    try {
      const published = log.publish(topic, [record('during')]).catch((error) => error);
      await log.close();
      expect(await published).toBeInstanceOf(EventLogUnavailable);
    } finally {
      await server.thaw();
    }
  });
});
