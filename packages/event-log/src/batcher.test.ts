import { createByteBudget } from '@switchboard/resilience';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addSized, createBatcher, type SizedRecords, sizeOf, type TopicRecords } from './batcher.ts';
import { EventLogBusy, EventLogUnavailable } from './errors.ts';
import { record } from './testing/records.ts';
import type { OutgoingRecord, Published } from './types.ts';

function sized(records: OutgoingRecord[]): SizedRecords {
  const share: SizedRecords = { records: [], sizes: [], bytes: 0 };
  for (const one of records) addSized(share, one, sizeOf(one));
  return share;
}

function setUp(options: { maxBytes?: number; maxSendBytes?: number } = {}) {
  const budget = createByteBudget(options.maxBytes ?? 1_000_000);
  const sends: { batch: TopicRecords[]; succeed(first?: number): void; fail(error: Error): void }[] = [];
  const batcher = createBatcher({
    budget,
    maxSendBytes: options.maxSendBytes ?? 100_000,
    send(batch) {
      const { promise, resolve, reject } = Promise.withResolvers<() => number>();
      sends.push({ batch, succeed: (first = 0) => resolve(() => first), fail: reject });
      return promise;
    },
  });
  function publish(values: string[], withinMs = 10_000): Promise<Published> {
    const share = sized(values.map((value) => record(value)));
    if (!budget.tryReserve(share.bytes)) throw new EventLogBusy('the budget is used up');
    return batcher.publish('events', share, performance.now() + withinMs);
  }
  const sent = (): string[][] =>
    sends.map(({ batch }) => batch.flatMap(({ records }) => records.map((one) => String(one.value))));
  return { budget, sends, publish, sent, batcher };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('createBatcher', () => {
  it('sends at once when idle, and batches records while a send is in flight', async () => {
    const { publish, sends, sent, budget } = setUp();
    const first = publish(['a']);
    expect(sent()).toEqual([['a']]);
    const rest = [publish(['b', 'c']), publish(['d'])];
    await settled();
    expect(sent()).toEqual([['a']]);
    sends[0]?.succeed();
    await first;
    await settled();
    expect(sent()).toEqual([['a'], ['b', 'c', 'd']]);
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
            async send(batch) {
              await settled();
              const first = [...ends];
              for (const one of batch.flatMap(({ records }) => records)) {
                const offset = ends[one.partition] ?? 0;
                ends[one.partition] = offset + 1;
                stored.set(String(one.value), offset);
              }
              return (_, partition) => first[partition] ?? Number.NaN;
            },
          });
          await Promise.all(
            publishes.map(async (partitions, n) => {
              const records = partitions.map((partition, i) => record(`${n}.${i}`, partition));
              const published = await batcher.publish('events', sized(records), performance.now() + 10_000);
              expect(records.map((_, i) => published.offsetOf(i))).toEqual(
                records.map((one) => BigInt(stored.get(String(one.value)) ?? -1)),
              );
              expect(published.offsetOf(records.length)).toBeUndefined();
            }),
          );
        },
      ),
      { numRuns: 30 },
    );
  });

  it('rejects at the deadline even if the send does not settle, and drops records that were not sent', async () => {
    const { publish, sends, sent, budget, batcher } = setUp();
    const outcomes = await Promise.allSettled([publish(['a'], 20), publish(['b'], 20)]);
    for (const one of outcomes)
      expect(one.status === 'rejected' && one.reason).toBeInstanceOf(EventLogUnavailable);
    // Bytes in flight stay reserved; queued bytes are released.
    expect(budget.used()).toBe(sizeOf(record('a')));
    sends[0]?.succeed();
    await batcher.idle();
    expect(sent()).toEqual([['a']]);
    expect(budget.used()).toBe(0);
  });

  it('rejects every publish of a failed send, and continues with the next', async () => {
    const { publish, sends, sent, budget } = setUp();
    const first = publish(['a']);
    const second = publish(['b']);
    sends[0]?.fail(new Error('refused'));
    await expect(first).rejects.toThrow('refused');
    await settled();
    expect(sent()).toEqual([['a'], ['b']]);
    sends[1]?.succeed();
    await second;
    expect(budget.used()).toBe(0);
  });

  it('rejects bytes over the budget, except for a publish that is alone', async () => {
    const { publish, sends } = setUp({ maxBytes: 100 });
    const first = publish(['x'.repeat(500)]);
    await expect(async () => publish(['b'])).rejects.toThrow(EventLogBusy);
    sends[0]?.succeed();
    await first;
    const again = publish(['c']);
    sends[1]?.succeed();
    await again;
  });
});
