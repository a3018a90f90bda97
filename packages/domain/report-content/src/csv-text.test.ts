import { expect, it } from 'vitest';
import { csvRows } from './csv-text.ts';

it('leaves negative numbers numbers, and null apart from an empty text', () => {
  expect(
    csvRows([
      ['a', 'b'],
      [-5, '-5'],
      [null, ''],
      [{ plan: 'pro' }, true],
    ]),
  ).toBe(`"a","b"\r\n-5,"'-5"\r\n,""\r\n"{""plan"":""pro""}","true"\r\n`);
});
