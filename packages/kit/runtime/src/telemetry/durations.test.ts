import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { Durations } from './durations.ts';

const NAMES = { name: 'waits_seconds', help: 'Waits.', labelNames: ['route', 'method'] };
const BOUNDS = [0.001, 0.01, 0.1];
const OBSERVED: [route: string, seconds: number][] = [
  ['/a', 0.0005],
  ['/a', 0.001],
  ['/a', 0.0011],
  ['/b', 0.1],
  ['/b', 5],
];

it('exports the same lines as a histogram of prom-client', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  for (const registry of [ours, theirs]) registry.setDefaultLabels({ service: 'flags' });
  const durations = new Durations({ ...NAMES, registers: [ours] }, BOUNDS);
  const histogram = new Histogram({ ...NAMES, buckets: BOUNDS, registers: [theirs] });
  for (const [route, seconds] of OBSERVED) {
    durations.observer({ route, method: 'GET' }).observe(seconds);
    histogram.observe({ route, method: 'GET' }, seconds);
  }
  // Except for exemplars, which are null in theirs.
  expect(await theirs.getMetricsAsJSON()).toMatchObject(await ours.getMetricsAsJSON());
  const linesOf = async (registry: Registry) =>
    (await registry.metrics()).split('\n').map((line) => line.split(/[{},]/).sort().join());
  expect(await linesOf(ours)).toEqual(await linesOf(theirs));
});
