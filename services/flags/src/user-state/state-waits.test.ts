import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createStateWaits } from './state-waits.ts';

const position = (offset: number, topic = 'identifies', partition = 0) => ({ topic, partition, offset });

/** Waits whose log has applied so much, of partition 0 of each topic. */
function setUp(applied: Record<string, number>, mostWaiting = 100) {
  let looks = 0;
  const asOf = new Date(1000);
  const waits = createStateWaits({
    mostWaiting,
    async read() {
      looks++;
      await sleep(1);
      return Object.entries(applied).map(([topic, nextOffset]) => ({
        topic,
        partition: 0,
        nextOffset,
        asOf,
      }));
    },
  });
  return { waits, applied, asOf, looks: () => looks };
}

describe('waiting for user state', () => {
  it('ends when the call is applied', async () => {
    const { waits, applied, asOf } = setUp({ identifies: 5 });
    expect(await waits.reached([position(4)])).toEqual({ isApplied: true, asOf });
    const later = waits.reached([position(5)]);
    setTimeout(() => {
      applied['identifies'] = 6;
    }, 50);
    expect(await later).toEqual({ isApplied: true, asOf });
  });

  it('ends after a second for what is not applied, unheard of, or of no partition there is', async () => {
    const { waits, asOf } = setUp({ identifies: 5, groups: 1 });
    const reached = await Promise.all([
      waits.reached([position(99)]),
      waits.reached([position(0, 'groups'), position(5)]),
      waits.reached([position(0), position(0, 'identifies', 99)]),
    ]);
    const unknown = { isApplied: false, asOf: undefined };
    expect(reached).toEqual([{ isApplied: false, asOf }, { isApplied: false, asOf }, unknown]);
  });

  it('takes a look for all who wait together, and none when nobody does', async () => {
    const { waits, looks } = setUp({ identifies: 5 });
    await Promise.all(Array.from({ length: 100 }, () => waits.reached([position(1)])));
    expect(looks()).toBeLessThan(3);
    const before = looks();
    await sleep(100);
    expect(looks()).toBe(before);
  });

  it('is for so many; others are told how far it was seen to be', async () => {
    const { waits } = setUp({ identifies: 5 }, 2);
    const waiting = [waits.reached([position(99)]), waits.reached([position(99)])];
    await sleep(50);
    let isAnswered = false;
    const answer = waits.reached([position(99)]).then(({ isApplied }) => {
      isAnswered = true;
      return isApplied;
    });
    await Promise.race([answer, ...waiting]);
    expect(isAnswered).toBe(true);
    expect(await answer).toBe(false);
    expect((await waits.reached([position(4)])).isApplied).toBe(true);
    await Promise.all(waiting);
  });

  it('is over at once while the database is away, and works again when it is back', async () => {
    let read = async (): Promise<never[]> => {
      throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    };
    const waits = createStateWaits({ read: () => read() });
    expect(await waits.reached([position(1)])).toEqual({ isApplied: false, asOf: undefined });
    read = async () => {
      throw new Error('a defect');
    };
    await expect(waits.reached([position(1)])).rejects.toThrow('a defect');
  });
});
