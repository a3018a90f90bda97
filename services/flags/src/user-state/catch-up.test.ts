import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createCatchUp } from './catch-up.ts';

const position = (offset: number, topic = 'identifies', partition = 0) => ({ topic, partition, offset });

const ada = { projectId: 'shop', distinctId: 'ada' };

/** Creates a catch-up over partition 0 of each topic, applied up to the given offset. */
function setUp(applied: Record<string, number>, maxWaiting = 100) {
  let polls = 0;
  const asOf = new Date(1000);
  const announced = new Map<string, () => void>();
  const catchUp = createCatchUp({
    maxWaiting,
    onNextChange: (_, distinctId, onNext) => void announced.set(distinctId, onNext),
    async listPositions() {
      polls++;
      const read = Object.entries(applied);
      await sleep(1);
      return read.map(([topic, nextOffset]) => ({
        topic,
        partition: 0,
        nextOffset,
        asOf,
      }));
    },
  });
  return {
    applied,
    asOf,
    polls: () => polls,
    waitFor: (positions: Parameters<typeof catchUp.waitFor>[0]) => catchUp.waitFor(positions, ada),
    announce: (distinctId: string) => announced.get(distinctId)?.(),
  };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('catching up with records', () => {
  it('ends a wait when the record is applied', async () => {
    const { waitFor, applied, asOf } = setUp({ identifies: 5 });
    expect(await waitFor([position(4)])).toEqual({ isApplied: true, asOf });
    const later = waitFor([position(5)]);
    setTimeout(() => {
      applied['identifies'] = 6;
    }, 50);
    expect(await later).toEqual({ isApplied: true, asOf });
  });

  it('ends a wait after a second for unapplied records and for unknown topics and partitions', async () => {
    const { waitFor, asOf } = setUp({ identifies: 5, groups: 1 });
    const progress = await Promise.all([
      waitFor([position(99)]),
      waitFor([position(0, 'groups'), position(5)]),
      waitFor([position(0), position(0, 'identifies', 99)]),
    ]);
    const unknown = { isApplied: false, asOf: undefined };
    expect(progress).toEqual([{ isApplied: false, asOf }, { isApplied: false, asOf }, unknown]);
  });

  it('polls at once when a change of the person is announced', async () => {
    const { waitFor, applied, asOf, polls, announce } = setUp({ identifies: 5 });
    // Pauses between polls do not end, but `sleep` in setUp does.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    let isApplied: boolean | undefined;
    const waiting = waitFor([position(5)]).then((progress) => {
      ({ isApplied } = progress);
      expect(progress).toEqual({ isApplied: true, asOf });
    });
    await sleep(50);
    expect({ isApplied, polls: polls() }).toEqual({ isApplied: undefined, polls: 1 });
    applied['identifies'] = 6;
    announce('ada');
    await waiting;
    expect(polls()).toBe(2);
  });

  it('polls again when a change is announced during a poll', async () => {
    const { waitFor, applied, polls, announce } = setUp({ identifies: 5 });
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const waiting = waitFor([position(5)]);
    applied['identifies'] = 6;
    announce('ada');
    expect((await waiting).isApplied).toBe(true);
    expect(polls()).toBe(2);
  });

  it('polls once for all waiting requests, and not at all while none waits', async () => {
    const { waitFor, polls } = setUp({ identifies: 5 });
    await Promise.all(Array.from({ length: 100 }, () => waitFor([position(1)])));
    expect(polls()).toBeLessThan(3);
    const before = polls();
    await sleep(100);
    expect(polls()).toBe(before);
  });

  it('answers at once with the last known progress when too many requests wait', async () => {
    const { waitFor } = setUp({ identifies: 5 }, 2);
    const waiting = [waitFor([position(99)]), waitFor([position(99)])];
    await sleep(50);
    let isAnswered = false;
    const answer = waitFor([position(99)]).then(({ isApplied }) => {
      isAnswered = true;
      return isApplied;
    });
    await Promise.race([answer, ...waiting]);
    expect(isAnswered).toBe(true);
    expect(await answer).toBe(false);
    expect((await waitFor([position(4)])).isApplied).toBe(true);
    await Promise.all(waiting);
  });

  it('ends a wait at once while the database is unavailable', async () => {
    let listPositions = async (): Promise<never[]> => {
      throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    };
    const catchUp = createCatchUp({ listPositions: () => listPositions(), onNextChange: () => undefined });
    expect(await catchUp.waitFor([position(1)], ada)).toEqual({ isApplied: false, asOf: undefined });
    listPositions = async () => {
      throw new Error('a defect');
    };
    await expect(catchUp.waitFor([position(1)], ada)).rejects.toThrow('a defect');
  });
});
