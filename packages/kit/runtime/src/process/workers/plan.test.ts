import { expect, it } from 'vitest';
import { planWorkers } from './plan.ts';

const MIB = 1_048_576;
const machine = (memoryMib: number, cpus = 8) => ({
  cpus,
  memoryBytes: memoryMib * MIB,
  heapBytes: (memoryMib / 2 + 48) * MIB,
});

it.each([
  ['as many as are set', 3, machine(4_096), 3],
  ['one per CPU', 'auto', machine(4_096, 2), 2],
  ['no more than have 96 MiB of heap each', 'auto', machine(768), 4],
  ['at least one', 'auto', machine(64), 1],
] as const)('runs %s', (_, WORKERS, on, count) => {
  const plan = planWorkers({ WORKERS }, on);
  expect(plan.count).toBe(count);
  const [, percentage] = plan.flags[0]?.split('=') ?? [];
  expect(Number(percentage) * count).toBeCloseTo(50, 2);
});

it('refuses more workers than have room', () => {
  expect(() => planWorkers({ WORKERS: 5 }, machine(768))).toThrow('WORKERS: the memory limit allows 4.');
});

it('runs consumers in one worker only', () => {
  expect(planWorkers({ WORKERS: 4, ROLES: 'events, replays' }, machine(4_096)).count).toBe(1);
  expect(planWorkers({ WORKERS: 4, ROLES: 'events, http' }, machine(4_096)).count).toBe(4);
});
