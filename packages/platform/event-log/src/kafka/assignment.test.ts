import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assignPartitions, type Member } from './assignment.ts';

const member = (id: string, owned: Member['owned'] = {}, generation = 1): Member => {
  return { id, topics: ['events'], generation, owned };
};
const eight = new Map([['events', [0, 1, 2, 3, 4, 5, 6, 7]]]);

it('moves only the partitions that a new member gets, and only those that a leaving member had', () => {
  const first = assignPartitions([member('a'), member('b')], eight);
  const [ofA, ofB] = [first.get('a') ?? {}, first.get('b') ?? {}];
  expect([ofA['events']?.length, ofB['events']?.length]).toEqual([4, 4]);
  const joined = assignPartitions([member('a', ofA), member('b', ofB), member('c')], eight);
  for (const [id, before] of [
    ['a', ofA],
    ['b', ofB],
  ] as const) {
    expect(before['events']).toEqual(expect.arrayContaining(joined.get(id)?.['events'] ?? []));
  }
  expect(joined.get('c')?.['events']).toHaveLength(2);
  const left = assignPartitions([member('b', joined.get('b')), member('c', joined.get('c'))], eight);
  for (const id of ['b', 'c'])
    expect(left.get(id)?.['events']).toEqual(expect.arrayContaining(joined.get(id)?.['events'] ?? []));
});

it('assigns a partition to the newer of two members that claim it', () => {
  const claim = { events: [0, 1] };
  const two = new Map([['events', [0, 1, 2, 3]]]);
  const assigned = assignPartitions([member('old', claim, 3), member('new', claim, 4)], two);
  expect(assigned.get('new')?.['events']).toEqual([0, 1]);
});

it('assigns partitions of a topic only to members that read the topic', () => {
  const reader = { ...member('both'), topics: ['events', 'events.from-4'] };
  const partitions = new Map([...eight, ['events.from-4', [0, 1]]]);
  const assigned = assignPartitions([member('one'), reader], partitions);
  expect(assigned.get('one')).not.toHaveProperty(['events.from-4']);
  expect(assigned.get('both')?.['events.from-4']).toEqual([0, 1]);
});

it('assigns each partition once and evenly, whatever members claim', () => {
  const owned = fc.array(fc.nat(12)).map((partitions) => ({ events: partitions }));
  const members = fc.uniqueArray(
    fc.record({
      id: fc.string({ minLength: 1 }),
      topics: fc.constant(['events']),
      generation: fc.nat(3),
      owned,
    }),
    { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(members, fc.nat(12), (all, count) => {
      const partitions = Array.from({ length: count }, (_, n) => n);
      const assigned = assignPartitions(all, new Map([['events', partitions]]));
      const loads = [...assigned.values()].map((one) => one['events'] ?? []);
      expect(loads.flat().sort((a, b) => a - b)).toEqual(partitions);
      const sizes = loads.map(({ length }) => length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }),
  );
});
