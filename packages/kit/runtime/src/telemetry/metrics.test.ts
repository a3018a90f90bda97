import { readFile } from 'node:fs/promises';
import { expect, it, vi } from 'vitest';
import { measureCalls } from './calls.ts';
import { createMetrics, mergeSnapshots } from './metrics.ts';

const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'));

/** Returns the values of a metric by its labels, without those of the service. */
async function valuesOf(text: Promise<string>, name: string): Promise<Record<string, number>> {
  const lines = (await text).matchAll(new RegExp(`^${name}\\{(.*)\\} (.+)$`, 'gm'));
  return Object.fromEntries(
    [...lines].map(([, labels = '', value]) => [labels.replace(/,?service="\w+"/, ''), Number(value)]),
  );
}

it('calls of a dependency are counted by operation and outcome', async () => {
  const metrics = createMetrics('flags');
  const begin = measureCalls({ metrics, dependency: 'database' });
  begin('query')();
  begin('query')();
  begin('query')(new Error('gone'));
  const name = 'switchboard_dependency_call_duration_seconds_count';
  expect(await valuesOf(metrics.registry.metrics(), name)).toEqual({
    'dependency="database",operation="query",outcome="ok"': 2,
    'dependency="database",operation="query",outcome="error"': 1,
  });
});

it('reads of caches, the build and the load of projects are those of all workers', async () => {
  const workers = [1, 2].map(() => createMetrics('flags', 'abc123', 'eu'));
  const reads = { hits: 3, misses: 1 };
  for (const metrics of workers) metrics.cache('rulesets', () => reads);
  reads.hits = 5;
  const all = mergeSnapshots(await Promise.all(workers.map(({ registry }) => registry.getMetricsAsJSON())));
  expect(await valuesOf(all.metrics(), 'switchboard_cache_reads_total')).toEqual({
    'cache="rulesets",result="hit"': 10,
    'cache="rulesets",result="miss"': 2,
  });
  expect(await valuesOf(all.metrics(), 'switchboard_build_info')).toEqual({
    [`version="${version}",revision="abc123",node="${process.versions.node}",region="eu"`]: 1,
  });
  expect(await valuesOf(all.metrics(), 'switchboard_project_busy')).toEqual({ 'project="other"': 0 });
});

it('a scrape does not wait for late values, and the next scrape has them', async () => {
  const metrics = createMetrics('flags');
  const late = Promise.withResolvers<void>();
  let reads = 0;
  metrics.gaugeBy('late', 'Late.', [], async () => {
    reads++;
    await late.promise;
    return [{ labels: {}, value: reads }];
  });
  metrics.gauge('own', 'Own.', () => 1);
  const scrapes = await Promise.all([metrics.registry.metrics(), metrics.registry.metrics()]);
  for (const text of scrapes) {
    expect(await valuesOf(Promise.resolve(text), 'own')).toEqual({ '': 1 });
    expect(await valuesOf(Promise.resolve(text), 'late')).toEqual({});
  }
  late.resolve();
  expect(await valuesOf(metrics.registry.metrics(), 'late')).toEqual({ '': 1 });
  expect(await valuesOf(metrics.registry.metrics(), 'late')).toEqual({ '': 2 });
});

it('a failed reading omits its values until one succeeds', async () => {
  const metrics = createMetrics('flags');
  const read = vi.fn(async () => [{ labels: {}, value: 3 }]);
  metrics.gaugeBy('failing', 'Failing.', [], read.mockRejectedValueOnce(new Error('gone')));
  expect(await valuesOf(metrics.registry.metrics(), 'failing')).toEqual({});
  expect(await valuesOf(metrics.registry.metrics(), 'failing')).toEqual({ '': 3 });
});
