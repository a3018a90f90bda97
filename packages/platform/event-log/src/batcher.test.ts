import { setImmediate } from 'node:timers/promises';
import { createByteBudget } from '@switchboard/fairness';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createBatcher, type Outcome, type PartitionRecords, type Share, sizeOf } from './batcher.ts';
import { EventLogBusy, EventLogUnavailable } from './errors.ts';
import { record } from './testing/records.ts';
import type { OutgoingRecord, Published } from './types.ts';

function byPartition(records: OutgoingRecord[]): Map<number, Share> {
  const shares = new Map<number, Share>();
  for (const [index, one] of records.entries()) {
    const share = shares.get(one.partition) ?? { records: [], sizes: [], bytes: 0, indexes: [] };
    shares.set(one.partition, share);
    share.records.push(one);
    share.sizes.push(sizeOf(one));
    share.indexes.push(index);
    share.bytes += sizeOf(one);
  }
  return shares;
}

interface Send {
  destination: string;
  batch: PartitionRecords[];
  succeed(first?: number): void;
  fail(error: Error): void;
  /** Frees the destination before the outcome is known. */
  hold(): (outcome: Outcome) => void;
}

function setUp(options: { maxBytes?: number; maxSendBytes?: number; maxBytesPerFairnessKey?: number } = {}) {
  const budget = createByteBudget(options.maxBytes ?? 1_000_000);
  const sends: Send[] = [];
  const batcher = createBatcher({
    budget,
    maxSendBytes: options.maxSendBytes ?? 100_000,
    maxBytesPerFairnessKey: options.maxBytesPerFairnessKey ?? 100_000,
    transport: {
      destinationOf: (_, partition) => `${partition % 10}`,
      send(destination, batch) {
        const { promise, resolve } = Promise.withResolvers<(Outcome | Promise<Outcome>)[]>();
        sends.push({
          destination,
          batch,
          succeed: (first = 0) => resolve(batch.map(() => first)),
          fail: (error) => resolve(batch.map(() => error)),
          hold() {
            const later = Promise.withResolvers<Outcome>();
            resolve(batch.map(() => later.promise));
            return later.resolve;
          },
        });
        return promise;
      },
    },
  });
  function publish(values: string[], withinMs = 10_000, partition = 0, fairnessKey = ''): Promise<Published> {
    const shares = byPartition(values.map((value) => record(value, partition)));
    const bytes = shares.get(partition)?.bytes ?? 0;
    const hasRoom = batcher.hasRoom('events', shares) && budget.tryReserve(bytes);
    if (!hasRoom) throw new EventLogBusy('the budget is used up');
    return batcher.publish('events', shares, performance.now() + withinMs, fairnessKey);
  }
  const sent = (): string[][] =>
    sends.map(({ batch }) => batch.flatMap(({ records }) => records.map((one) => String(one.value))));
  return { budget, sends, publish, sent, batcher };
}

/**
 * Waits two turns of the event loop: a send settles and frees its destination in one, and the next send starts in another.
 */
async function settled(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

describe('the batcher', () => {
  it('sends some records of each fairness key in the next send, and few of one while others wait', async () => {
    const { publish, sends, sent } = setUp({ maxBytesPerFairnessKey: 2 * sizeOf(record('a1', 0)) });
    const of = (fairnessKey: string, ...values: string[]) =>
      values.map((value) => publish([value], 10_000, 0, fairnessKey));
    const all = of('a', 'a1');
    await settled();
    all.push(...of('a', 'a2', 'a3', 'a4', 'a5', 'a6'), ...of('b', 'b1', 'b2'), ...of('c', 'c1'));
    for (let next = 0; next < 4; next++) {
      sends[next]?.succeed();
      await settled();
    }
    expect(sent()).toEqual([['a1'], ['a2', 'b1', 'c1', 'a3', 'b2'], ['a4', 'a5'], ['a6']]);
    await Promise.all(all);
  });

  it('sends few records of one fairness key for a second after another has published', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { publish, sends, sent } = setUp({ maxBytesPerFairnessKey: 2 * sizeOf(record('a1', 0)) });
    const all = [publish(['b1'], 10_000, 0, 'b')];
    const settle = async () => {
      await settled();
      sends.at(-1)?.succeed();
      await settled();
    };
    await settle();
    all.push(...['a1', 'a2', 'a3', 'a4'].map((value) => publish([value], 10_000, 0, 'a')));
    await settle();
    expect(sent()).toEqual([['b1'], ['a1', 'a2'], ['a3', 'a4']]);
    all.push(...['a5', 'a6', 'a7'].map((value) => publish([value], 10_000, 0, 'a')));
    vi.advanceTimersByTime(1_001);
    await settle();
    expect(sent().at(-1)).toEqual(['a5', 'a6', 'a7']);
    await settle();
    await Promise.all(all);
  });

  it('settles each publish at its own deadline, whatever the order of the deadlines', async () => {
    const { publish } = setUp();
    const order: string[] = [];
    const all = [
      { name: 'last', withinMs: 600 },
      { name: 'first', withinMs: 100 },
      { name: 'second', withinMs: 300 },
    ].map(({ name, withinMs }) => publish([name], withinMs).catch(() => order.push(name)));
    await Promise.race(all);
    expect(order).toEqual(['first']);
    await Promise.all(all);
    expect(order).toEqual(['first', 'second', 'last']);
  });

  it('sends the records published in one turn of the event loop at once when idle, and batches records while a send is in flight', async () => {
    const { publish, sends, sent, budget } = setUp();
    const first = [publish(['a']), publish(['b'])];
    expect(sent()).toEqual([]);
    await settled();
    expect(sent()).toEqual([['a', 'b']]);
    const rest = [publish(['c', 'd']), publish(['e'])];
    await settled();
    expect(sent()).toEqual([['a', 'b']]);
    sends[0]?.succeed();
    await Promise.all(first);
    await settled();
    expect(sent()).toEqual([
      ['a', 'b'],
      ['c', 'd', 'e'],
    ]);
    sends[1]?.succeed();
    await Promise.all(rest);
    expect(budget.used()).toBe(0);
  });

  it('limits the bytes of a send, keeps the order, and resolves a publish when its last record is stored', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(400), { minLength: 1 }), { minLength: 1 }),
        async (publishes) => {
          const { publish, sends, budget } = setUp({ maxSendBytes: 500 });
          const stored: string[] = [];
          const done = publishes.map((lengths, n) => {
            const values = lengths.map((length, i) => `${n}.${i}:`.padEnd(length, 'x'));
            return publish(values).then(() => expect(stored).toEqual(expect.arrayContaining(values)));
          });
          await settled();
          for (let i = 0; i < sends.length; i++) {
            const batch = sends[i]?.batch.flatMap(({ records }) => records) ?? [];
            expect(batch.length === 1 || batch.reduce((sum, one) => sum + sizeOf(one), 0) <= 500).toBe(true);
            stored.push(...batch.map((one) => String(one.value)));
            sends[i]?.succeed();
            await settled();
          }
          await Promise.all(done);
          expect(stored).toEqual(
            publishes.flatMap((lengths, n) => lengths.map((length, i) => `${n}.${i}:`.padEnd(length, 'x'))),
          );
          expect(budget.used()).toBe(0);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('keeps the order of each fairness key, whatever the others publish, and stores every record', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(2), fc.array(fc.integer({ min: 5, max: 200 }), { minLength: 1 }))),
        async (publishes) => {
          const { publish, sends, sent, budget } = setUp({ maxSendBytes: 500, maxBytesPerFairnessKey: 150 });
          const expected = new Map<number, string[]>();
          const done = publishes.map(([fairnessKey, lengths], n) => {
            const values = lengths.map((length, i) => `${fairnessKey}:${n}.${i}:`.padEnd(length, 'x'));
            expected.set(fairnessKey, [...(expected.get(fairnessKey) ?? []), ...values]);
            return publish(values, 10_000, 0, `${fairnessKey}`);
          });
          await settled();
          for (let i = 0; i < sends.length; i++) {
            sends[i]?.succeed();
            await settled();
          }
          await Promise.all(done);
          const stored = Map.groupBy(sent().flat(), (value) => Number(value.split(':')[0]));
          for (const [fairnessKey, values] of expected) expect(stored.get(fairnessKey)).toEqual(values);
          expect(sent().flat()).toHaveLength([...expected.values()].flat().length);
          expect(budget.used()).toBe(0);
        },
      ),
      { numRuns: 30 },
    );
  });

  it('returns the offset of each record, even if a publish is split over several sends', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.nat(2), { minLength: 1 }), { minLength: 1 }),
        async (publishes) => {
          const ends = [0, 100, 200];
          const stored = new Map<string, number>();
          const budget = createByteBudget(1_000_000);
          const batcher = createBatcher({
            budget,
            maxSendBytes: 300,
            maxBytesPerFairnessKey: 100_000,
            transport: {
              destinationOf: () => 'all',
              async send(_, batch) {
                await settled();
                return batch.map(({ partition, records }) => {
                  const first = ends[partition] ?? 0;
                  for (const [i, one] of records.entries()) stored.set(String(one.value), first + i);
                  ends[partition] = first + records.length;
                  return first;
                });
              },
            },
          });
          await Promise.all(
            publishes.map(async (partitions, n) => {
              const records = partitions.map((partition, i) => record(`${n}.${i}`, partition));
              const published = await batcher.publish(
                'events',
                byPartition(records),
                performance.now() + 10_000,
              );
              expect(records.map((_, i) => published.offsetOf(i))).toEqual(
                records.map((one) => BigInt(stored.get(String(one.value)) ?? -1)),
              );
              expect(() => published.offsetOf(records.length)).toThrow(RangeError);
            }),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('rejects at the deadline even if the send does not settle, and drops records that were not sent', async () => {
    const { publish, sends, sent, budget, batcher } = setUp();
    const first = publish(['a'], 20);
    await settled();
    const outcomes = await Promise.allSettled([first, publish(['b'], 20)]);
    for (const one of outcomes)
      expect(one.status === 'rejected' && one.reason).toBeInstanceOf(EventLogUnavailable);
    // Bytes in flight stay reserved; queued bytes are released.
    expect(budget.used()).toBe(sizeOf(record('a')));
    sends[0]?.succeed();
    await batcher.idle();
    expect(sent()).toEqual([['a']]);
    expect(budget.used()).toBe(0);
  });

  it('rejects every publish of a failed send, and continues with the next send', async () => {
    const { publish, sends, sent, budget } = setUp();
    const first = [publish(['a']), publish(['b'])];
    await settled();
    const second = publish(['c']);
    sends[0]?.fail(new Error('refused'));
    for (const one of first) await expect(one).rejects.toThrow('refused');
    await settled();
    expect(sent()).toEqual([['a', 'b'], ['c']]);
    sends[1]?.succeed();
    await second;
    expect(budget.used()).toBe(0);
  });

  it('rejects bytes over the budget, except for a publish that is the only one', async () => {
    const { publish, sends } = setUp({ maxBytes: 100 });
    const first = publish(['x'.repeat(500)]);
    await expect(async () => publish(['b'])).rejects.toThrow(EventLogBusy);
    await settled();
    sends[0]?.succeed();
    await first;
    const again = publish(['c']);
    await settled();
    sends[1]?.succeed();
    await again;
  });

  it('sends on a free destination while another is busy, and a delayed partition delays only itself', async () => {
    const { publish, sends, sent } = setUp();
    const held = [publish(['a0'], 10_000, 0)];
    const other = publish(['a1'], 10_000, 1);
    await settled();
    held.push(publish(['b0'], 10_000, 0));
    expect(sent()).toEqual([['a0'], ['a1']]);
    const storeHeld = sends[0]?.hold();
    sends[1]?.succeed();
    await other;
    // The same destination as partition 0.
    const neighbour = publish(['a10'], 10_000, 10);
    await settled();
    expect(sent()).toEqual([['a0'], ['a1'], ['a10']]);
    sends[2]?.succeed();
    await neighbour;
    storeHeld?.(5);
    expect((await held[0])?.offsetOf(0)).toBe(5n);
    await settled();
    expect(sent().at(-1)).toEqual(['b0']);
    sends[3]?.succeed(6);
    expect((await held[1])?.offsetOf(0)).toBe(6n);
  });

  it('leaves room for other partitions when one is delayed, until its records are stored or given up', async () => {
    const { publish, sends, budget } = setUp({ maxBytes: 4_000 });
    const large = ['x'.repeat(300)];
    const held = [publish(large, 50, 0)];
    await settled();
    held.push(publish(large, 60, 0));
    const refused = expect(async () => publish(large, 10_000, 0)).rejects.toThrow(EventLogBusy);
    const other = publish(large, 10_000, 1);
    await refused;
    await settled();
    sends[1]?.succeed();
    await other;
    for (const one of held) await expect(one).rejects.toThrow(EventLogUnavailable);
    const next = publish(large, 10_000, 0);
    sends[0]?.succeed();
    await settled();
    sends[2]?.succeed();
    await next;
    expect(budget.used()).toBe(0);
  });

  it.each([Number.NaN, -1, 0.5])('rejects a publish with the offset %d', async (offset) => {
    const { publish, sends, budget } = setUp();
    const published = publish(['a']);
    await settled();
    sends[0]?.succeed(offset);
    await expect(published).rejects.toThrow(EventLogUnavailable);
    expect(budget.used()).toBe(0);
  });
});
