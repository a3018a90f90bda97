import { describe, expect, it } from 'vitest';
import { stalenessOf } from './staleness.ts';

const NOW = new Date('2026-06-01T12:00:00.000Z');
const ago = (days: number) => new Date(NOW.getTime() - days * 86_400_000);
const served = (variation: string, first: number, last: number) => ({
  variation,
  firstAt: ago(first),
  lastAt: ago(last),
});

interface Case {
  intent?: string;
  created?: number;
  changed?: number;
  seen?: ReturnType<typeof served>[];
  countedFor?: number;
}

function stale({ intent, created = 31, changed = 31, seen = [], countedFor = 100 }: Case) {
  const age = { key: 'a', intent: intent ?? null, createdAt: ago(created), changedAt: ago(changed) };
  const found = stalenessOf(age, seen, ago(countedFor), NOW);
  return found && [found.reason, found.variation];
}

describe('a flag', () => {
  it('is stale if it served one variation for 14 days and did not change for 30', () => {
    expect(stale({ seen: [served('on', 14, 0)] })).toEqual(['one_variation', 'on']);
    expect(stale({ seen: [served('on', 40, 0), served('off', 40, 14)] })).toEqual(['one_variation', 'on']);
    expect(stale({ seen: [served('on', 14, 0)], changed: 29 })).toBeNull();
    expect(stale({ seen: [served('on', 13, 0)] })).toBeNull();
    expect(stale({ seen: [served('on', 40, 0), served('off', 40, 13)] })).toBeNull();
  });

  it('is stale if it served nothing for 14 days while evaluations were counted', () => {
    expect(stale({})).toEqual(['not_evaluated', undefined]);
    expect(stale({ seen: [served('on', 40, 20), served('off', 40, 15)] })).toEqual([
      'not_evaluated',
      undefined,
    ]);
    expect(stale({ countedFor: 13 })).toBeNull();
    expect(stale({ changed: 3 })).toBeNull();
  });

  it('is stale past the time of its intent', () => {
    const seen = [served('on', 40, 0), served('off', 40, 0)];
    const after = (intent: string, created: number) => stale({ intent, created, changed: 1, seen });
    expect(after('release', 40)).toEqual(['past_intent', undefined]);
    expect(after('release', 39)).toBeNull();
    expect(after('experiment', 40)).toEqual(['past_intent', undefined]);
    expect(after('sunset', 30)).toEqual(['past_intent', undefined]);
    expect(after('operational', 7)).toEqual(['past_intent', undefined]);
    expect(stale({ created: 1_000, changed: 1, seen })).toBeNull();
  });

  it('is never stale with the intent kill_switch or permission', () => {
    for (const intent of ['kill_switch', 'permission']) {
      expect(stale({ intent, created: 1_000, changed: 1_000, seen: [served('on', 900, 0)] })).toBeNull();
      expect(stale({ intent, created: 1_000, changed: 1_000 })).toBeNull();
    }
  });

  it('is not stale without a history', () => {
    const age = { key: 'a', intent: null, createdAt: null, changedAt: null };
    expect(stalenessOf(age, [served('on', 100, 0)], ago(100), NOW)).toBeNull();
  });
});
