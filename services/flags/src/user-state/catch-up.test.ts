import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createCatchUp } from './catch-up.ts';

const position = (offset: number, topic = 'identifies', partition = 0) => ({ topic, partition, offset });

/** Creates a catch-up over partition 0 of each topic, applied up to the given offset. */
function setUp(applied: Record<string, number>, maxWaiting = 100) {
  let polls = 0;
  const asOf = new Date(1000);
  const catchUp = createCatchUp({
    maxWaiting,
    async listPositions() {
      polls++;
      await sleep(1);
      return Object.entries(applied).map(([topic, nextOffset]) => ({
        topic,
        partition: 0,
        nextOffset,
        asOf,
      }));
    },
  });
  return { catchUp, applied, asOf, polls: () => polls };
}

describe('catching up with records', () => {
  it('ends a wait when the record is applied', async () => {
    const { catchUp, applied, asOf } = setUp({ identifies: 5 });
    expect(await catchUp.waitFor([position(4)])).toEqual({ isApplied: true, asOf });
    const later = catchUp.waitFor([position(5)]);
    setTimeout(() => {
      applied['identifies'] = 6;
    }, 50);
    expect(await later).toEqual({ isApplied: true, asOf });
  });

  it('ends a wait after a second for unapplied records and for unknown topics and partitions', async () => {
    const { catchUp, asOf } = setUp({ identifies: 5, groups: 1 });
    const progress = await Promise.all([
      catchUp.waitFor([position(99)]),
      catchUp.waitFor([position(0, 'groups'), position(5)]),
      catchUp.waitFor([position(0), position(0, 'identifies', 99)]),
    ]);
    const unknown = { isApplied: false, asOf: undefined };
    expect(progress).toEqual([{ isApplied: false, asOf }, { isApplied: false, asOf }, unknown]);
  });

  it('polls once for all waiting requests, and not at all while none waits', async () => {
    const { catchUp, polls } = setUp({ identifies: 5 });
    await Promise.all(Array.from({ length: 100 }, () => catchUp.waitFor([position(1)])));
    expect(polls()).toBeLessThan(3);
    const before = polls();
    await sleep(100);
    expect(polls()).toBe(before);
  });

  it('answers at once with the last known progress when too many requests wait', async () => {
    const { catchUp } = setUp({ identifies: 5 }, 2);
    const waiting = [catchUp.waitFor([position(99)]), catchUp.waitFor([position(99)])];
    await sleep(50);
    let isAnswered = false;
    const answer = catchUp.waitFor([position(99)]).then(({ isApplied }) => {
      isAnswered = true;
      return isApplied;
    });
    await Promise.race([answer, ...waiting]);
    expect(isAnswered).toBe(true);
    expect(await answer).toBe(false);
    expect((await catchUp.waitFor([position(4)])).isApplied).toBe(true);
    await Promise.all(waiting);
  });

  it('ends a wait at once while the database is unavailable', async () => {
    let listPositions = async (): Promise<never[]> => {
      throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    };
    const catchUp = createCatchUp({ listPositions: () => listPositions() });
    expect(await catchUp.waitFor([position(1)])).toEqual({ isApplied: false, asOf: undefined });
    listPositions = async () => {
      throw new Error('a defect');
    };
    await expect(catchUp.waitFor([position(1)])).rejects.toThrow('a defect');
  });
});
