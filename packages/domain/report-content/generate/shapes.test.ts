import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { MAP_SIZE, POINTS, SHAPES } from '../src/map/shapes.ts';
import { SHAPES_FILE, shapesSource } from './shapes.ts';

test('draws the countries of the atlas; an installation updates src/map/shapes.ts', async () => {
  expect(await readFile(SHAPES_FILE, 'utf8')).toBe(await shapesSource());
});

test('keeps the licence of the atlas with its shapes', async () => {
  expect(await readFile(SHAPES_FILE, 'utf8')).toContain('and this permission notice appear in all copies.');
});

/** Returns the points of a path, with the differences between them added up. */
function pointsOf(path: string): [number, number][] {
  return path.split('z').flatMap((ring) => {
    let [x, y] = [0, 0];
    const numbers = (ring.match(/-?\d+/g) ?? []).map(Number);
    return numbers.flatMap((number, at): [number, number][] => {
      if (at % 2 === 0) x += number;
      else y += number;
      return at % 2 === 0 ? [] : [[x, y]];
    });
  });
}

test('keeps every shape and point within the map', () => {
  const all = [...Object.values(SHAPES).flatMap(pointsOf), ...Object.values(POINTS)];
  expect(all.length).toBeGreaterThan(5000);
  for (const [x, y] of all) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x).toBeLessThanOrEqual(MAP_SIZE.width);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y).toBeLessThanOrEqual(MAP_SIZE.height);
  }
});

test('draws territories with a code of their own apart from their country, and no country twice', () => {
  expect(Object.keys(SHAPES)).toEqual(expect.arrayContaining(['GF', 'SJ', 'XK', 'TW', 'EH', 'PS']));
  expect(Object.keys(POINTS)).toEqual(expect.arrayContaining(['SG', 'MT', 'RE', 'GI', 'HK', 'VA']));
  expect(Object.keys(SHAPES).filter((code) => code in POINTS)).toEqual([]);
  expect([...Object.keys(SHAPES), ...Object.keys(POINTS)].every((code) => /^[A-Z]{2}$/.test(code))).toBe(
    true,
  );
});
