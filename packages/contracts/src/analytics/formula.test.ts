import { describe, expect, test } from 'vitest';
import { parseFormula } from './formula.ts';

describe('a formula', () => {
  test.each([
    ['A', [3], 3],
    ['A / B * 100', [1, 4], 25],
    ['A - B - C', [9, 3, 2], 4],
    ['A + B * 2', [1, 2], 5],
    ['(A + B) * 2', [1, 2], 6],
    ['-A + 0.5', [1], -0.5],
    ['2 * -(A - B)', [1, 4], 6],
    ['A / (B - C)', [1, 2, 2], null],
    ['A + B', [1, null], null],
    ['A * B', [1e200, 1e200], null],
  ] as const)('%s of %j is %s', (text, values, expected) => {
    expect(parseFormula(text)?.of(values)).toBe(expected);
  });

  test.each(['', 'A B', 'A +', '(A', 'A)', 'a', 'M', 'A % B', '1.', '.5', 'A ** B', '()', 'A; B', '"A"'])(
    'is not %j',
    (text) => {
      expect(parseFormula(text)).toBeUndefined();
    },
  );

  test('may be nested as deep as its length allows', () => {
    const deep = `${'('.repeat(99)}A${')'.repeat(99)}`;
    expect(parseFormula(deep)?.of([7])).toBe(7);
  });
});
