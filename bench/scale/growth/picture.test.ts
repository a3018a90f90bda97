import { expect, test } from 'vitest';
import type { Series } from './path.ts';
import { growthPicture } from './picture.ts';

const series = (more: Partial<Series> & { name: string }, ...values: number[]): Series => ({
  of: 'people',
  bound: 'constant',
  unit: 'ms',
  points: values.map((value, step) => ({ size: 10 ** step, value })),
  ...more,
});

/** Returns the positions of texts, by text. */
const labels = (svg: string) =>
  new Map(
    [...svg.matchAll(/x="(\S+)" y="(\S+)"[^>]*>([^<]+)<\/text>/g)].map(([, x, y, text]) => [text, [x, y]]),
  );

test('draws a labelled line for each series of times, and overlaps no labels', () => {
  const svg = growthPicture([
    series({ name: 'one <person>' }, 1, 1, 1, 1),
    series({ name: 'another' }, 1, 1.1, 1, 1),
    series({ name: 'list', bound: 'linear' }, 0.2, 0.5, 4, 40),
    series({ name: 'keys in memory', unit: 'MB' }, 1, 10, 100, 1000),
  ]);
  expect(svg.match(/class="line /g)).toHaveLength(3);
  const found = labels(svg);
  const [, first = ''] = found.get('one &lt;person>, 1 ms') ?? [];
  const [, second = ''] = found.get('another, 1 ms') ?? [];
  expect(Math.abs(Number(first) - Number(second))).toBeGreaterThanOrEqual(15);
  expect(found.has('list, 40 ms')).toBe(true);
  expect(svg).not.toContain('keys in memory');
});
