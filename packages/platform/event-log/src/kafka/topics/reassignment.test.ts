import { expect, it } from 'vitest';
import { reassignmentOf } from './reassignment.ts';

it('adds copies evenly, and keeps existing copies and leaders', () => {
  const partitions = [0, 1, 2, 3].map((partitionId) => ({ partitionId, leader: 1, replicas: [1] }));
  const { partitions: planned } = reassignmentOf('events', partitions, [1, 2, 3, 4], 2);
  expect(planned.map(({ partition, replicas }) => [partition, ...replicas])).toEqual([
    [0, 1, 2],
    [1, 1, 3],
    [2, 1, 4],
    [3, 1, 2],
  ]);
  const [first] = reassignmentOf(
    'events',
    [{ partitionId: 0, leader: 3, replicas: [2, 3] }],
    [1, 2, 3],
    3,
  ).partitions;
  expect(first?.replicas).toEqual([3, 2, 1]);
});

it('plans only what the brokers can hold', () => {
  const { partitions } = reassignmentOf('events', [{ partitionId: 0, leader: 1, replicas: [1] }], [1], 3);
  expect(partitions).toEqual([{ topic: 'events', partition: 0, replicas: [1] }]);
});
