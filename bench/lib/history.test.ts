import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepHistory, type Ratio } from './history.ts';

let folder: string;
let file: string;
let printed: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'history-'));
  file = join(folder, 'history.ndjson');
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(line));
});
afterEach(async () => {
  process.exitCode = undefined;
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const speed = (value: number, scenario = 'batches'): Ratio => ({
  scenario,
  ratio: 'events/s of floor',
  value,
  better: 'higher',
});
const cost = (value: number): Ratio => ({ ...speed(value), ratio: 'CPU of floor', better: 'lower' });
const worse = () => printed.filter((line) => line.startsWith('WORSE'));
const record = (ratios: Ratio[], bench = 'made-up', loadAverage = 0) =>
  keepHistory(bench, ratios, { record: true, check: false }, { file, loadAverage });
const check = (ratios: Ratio[], bench = 'made-up', loadAverage = 0) =>
  keepHistory(bench, ratios, { record: false, check: true }, { file, loadAverage });

describe('the history of a bench', () => {
  it('appends a record only when asked', async () => {
    await record([speed(0.5), cost(2)]);
    await record([speed(0.61234567)]);
    await check([speed(0.6)]);
    const entries = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries.map(({ value }) => value)).toEqual([0.5, 2, 0.6123]);
    expect(entries[0]).toEqual({
      date: expect.any(String),
      commit: expect.stringMatching(/^[0-9a-f]{7,}\+?$/),
      bench: 'made-up',
      ...speed(0.5),
      loadAverage: expect.any(Number),
      cores: expect.any(Number),
    });
  });

  it.each([
    ['a speed 11% lower', [speed(0.89)]],
    ['a cost 11% higher', [cost(2.22)]],
  ])('reports %s than the median of the last five records', async (_, ratios) => {
    for (const factor of [0.1, 0.5, 1, 1, 1, 9]) await record([speed(factor), cost(2 * factor)]);
    printed = [];
    await check(ratios);
    expect(worse()).toHaveLength(1);
    expect(process.exitCode).toBe(1);
  });

  it.each([
    ['within 10%', [speed(0.91), cost(2.18)]],
    ['better', [speed(3), cost(0.5)]],
    ['of a scenario without records', [speed(0.01, 'other')]],
  ])('passes ratios that are %s', async (_, ratios) => {
    await record([speed(1), cost(2)]);
    await record([speed(9)], 'another-bench');
    printed = [];
    await check(ratios);
    expect(worse()).toEqual([]);
    expect(process.exitCode).toBeUndefined();
  });

  it('records nothing and fails nothing on a busy machine', async () => {
    await record([speed(1)]);
    const busy = 3 * availableParallelism();
    await record([speed(0.1)], 'made-up', busy);
    await check([speed(0.1)], 'made-up', busy);
    expect((await readFile(file, 'utf8')).trim().split('\n')).toHaveLength(1);
    expect(worse()).toEqual([]);
    expect(printed.filter((line) => line.startsWith('BUSY'))).toHaveLength(2);
    expect(process.exitCode).toBeUndefined();
  });

  it('reports worse ratios without failing the run unless asked', async () => {
    await record([speed(1)]);
    await record([speed(0.5)]);
    expect(worse()).toEqual(['WORSE by 50% than usual: batches, events/s of floor']);
    expect(process.exitCode).toBeUndefined();
  });
});
