import { openDatabase } from '@switchboard/database';
import { afterAll, describe, expect, it } from 'vitest';
import { type TestProject, useFlags } from '../testing/harness.ts';
import { createFlush } from './flush.ts';
import { createUsageStore, expiringUsage } from './store.ts';
import type { Served, Tally } from './tallies.ts';

const harness = await useFlags();
const database = openDatabase({ url: harness.databaseUrl, applicationName: 'usage' });
afterAll(() => database.close());
const store = createUsageStore(database.drizzle);
const on = { enabled: true, rolloutPercentage: 100 };
const at = new Date('2026-03-01T23:30:00.000Z');

const served = ({ id }: TestProject, key: string, count: number, variation = 'on'): Served => ({
  projectId: id,
  key,
  variation,
  count,
});

describe('the store of usage', () => {
  it('adds to the counts of the hour and the day, and remembers the first and the last time', async () => {
    const project = await harness.createProject();
    await harness.putFlag(project, { key: 'a', ...on });
    for (const minute of [0, 20, 40])
      await store.add(new Date(at.getTime() + minute * 60_000), [
        served(project, 'a', 10),
        served(project, 'a', 1, 'off'),
        served(project, 'deleted', 1),
      ]);
    expect(await store.hours(project.id, 'a', at)).toEqual([
      { at: new Date('2026-03-01T23:00:00.000Z'), variation: 'off', count: 2 },
      { at: new Date('2026-03-01T23:00:00.000Z'), variation: 'on', count: 20 },
      { at: new Date('2026-03-02T00:00:00.000Z'), variation: 'off', count: 1 },
      { at: new Date('2026-03-02T00:00:00.000Z'), variation: 'on', count: 10 },
    ]);
    expect((await store.days(project.id, 'a', at)).filter(({ variation }) => variation === 'on')).toEqual([
      { at: new Date('2026-03-01T00:00:00.000Z'), variation: 'on', count: 20 },
      { at: new Date('2026-03-02T00:00:00.000Z'), variation: 'on', count: 10 },
    ]);
    const next = new Date(at.getTime() + 86_400_000);
    expect(await store.totals(project.id, at, next)).toContainEqual({ key: 'a', variation: 'on', count: 30 });
    expect(await store.seen(project.id)).toContainEqual({
      key: 'a',
      variation: 'on',
      firstAt: at,
      lastAt: new Date(at.getTime() + 2_400_000),
    });
  });

  it('loses no count while instances store and flags are deleted at the same time', async () => {
    const project = await harness.createProject();
    const keys = Array.from({ length: 20 }, (_, index) => `flag-${index}`);
    for (const key of keys) await harness.putFlag(project, { key, ...on });
    const counts = keys.map((key) => served(project, key, 1));
    const adding = Array.from({ length: 30 }, () => store.add(at, counts));
    const deleting = keys
      .slice(10)
      .map((key) => harness.manage('DELETE', `/projects/${project.id}/flags/${key}`));
    await Promise.all(adding);
    for (const response of await Promise.all(deleting)) expect(response.status).toBe(204);
    const totals = await store.totals(project.id, at, at);
    expect(totals.toSorted((one, other) => keys.indexOf(one.key) - keys.indexOf(other.key))).toEqual(
      keys.slice(0, 10).map((key) => ({ key, variation: 'on', count: 30 })),
    );
  });

  it('removes hours after 90 days and days after two years', async () => {
    const project = await harness.createProject();
    await harness.putFlag(project, { key: 'a', ...on });
    const [hours, days] = expiringUsage(database);
    expect([hours?.days, days?.days]).toEqual([90, 730]);
    const old = new Date('2020-01-01T00:00:00.000Z');
    await store.add(old, [served(project, 'a', 1)]);
    expect(await hours?.oldest()).toEqual(old);
    expect(await hours?.removeBefore(new Date('2020-01-02T00:00:00.000Z'))).toEqual({ rows: 1 });
    expect(await hours?.removeBefore(new Date('2020-01-02T00:00:00.000Z'))).toEqual({ rows: 0 });
    expect(await store.hours(project.id, 'a', old)).toEqual([]);
    expect(await store.days(project.id, 'a', old)).toHaveLength(1);
    expect(await days?.removeBefore(new Date('2020-01-02T00:00:00.000Z'))).toEqual({ rows: 1 });
    expect(await store.days(project.id, 'a', old)).toEqual([]);
  });
});

describe('the flush of usage', () => {
  function open(maxBytes: number) {
    const state = {
      isAvailable: false,
      now: new Date('2026-03-01T09:59:00.000Z'),
      counted: [] as Tally[],
      stored: [] as [string, Served[]][],
      failures: [] as string[],
      lost: 0,
    };
    const flush = createFlush({
      tallies: { take: () => state.counted.splice(0) },
      store: {
        async add(time: Date, entries: readonly Served[]) {
          if (!state.isAvailable) throw new Error('unavailable');
          state.stored.push([time.toISOString(), [...entries]]);
        },
      },
      clock: { now: () => state.now },
      logger: { failed: (task: string) => void state.failures.push(task) } as never,
      maxBytes,
      onLost: (count) => (state.lost += count),
    });
    return { state, flush };
  }

  const tally = (off: number, on: number, changedAt = '1', projectId = 'p'): Tally => ({
    projectId,
    changedAt,
    names: '[["a"]]',
    offsets: Uint32Array.of(0, 2),
    counts: Float64Array.of(off, on),
  });
  const counts = (count: number, variation: string) => ({ projectId: 'p', key: 'a', variation, count });

  it('stores counts that could not be stored before, in the hour in which they were counted', async () => {
    const { state, flush } = open(1_000_000);
    for (const counted of [tally(1, 2), tally(0, 2), tally(0, 5, '2')]) {
      state.counted = [counted];
      await flush.stop();
    }
    expect([new Set(state.failures), state.stored]).toEqual([new Set(['store flag usage']), []]);
    state.isAvailable = true;
    state.now = new Date('2026-03-01T10:00:00.000Z');
    state.counted = [tally(0, 2)];
    await flush.stop();
    expect(state.stored).toEqual([
      ['2026-03-01T09:59:00.000Z', [counts(1, 'off'), counts(4, 'on'), counts(5, 'on')]],
      ['2026-03-01T10:00:00.000Z', [counts(2, 'on')]],
    ]);
    expect(state.lost).toBe(0);
  });

  it('keeps no more than its memory while the database is unavailable', async () => {
    const { state, flush } = open(2_000);
    state.counted = Array.from({ length: 100 }, (_, project) => tally(0, 1, '1', `p${project}`));
    await flush.stop();
    state.isAvailable = true;
    await flush.stop();
    const stored = state.stored.flatMap(([, served]) => served).length;
    expect(stored).toBeGreaterThan(0);
    expect(stored + state.lost).toBe(100);
  });
});
