import fc from 'fast-check';
import { expect, test } from 'vitest';
import { protectMarkup, restoreMarkup } from './markup.ts';

test('replaces markup with placeholders, and restores it unchanged', () => {
  const text = 'Hi <b>you</b>, <a href="https://x.test/?a=1&amp;b=2">see<br/></a> 1 < 2';
  const taken = protectMarkup(text);
  expect(taken.text).toBe('Hi ⟦1⟧you⟦2⟧, ⟦3⟧see⟦4⟧⟦5⟧ 1 < 2');
  expect(restoreMarkup(taken.text, taken)).toBe(text);
  expect(restoreMarkup('⟦3⟧sieh⟦4⟧⟦5⟧, ⟦1⟧du⟦2⟧', taken)).toBe(
    '<a href="https://x.test/?a=1&amp;b=2">sieh<br/></a>, <b>du</b>',
  );
});

test.each([
  ['missing', '⟦1⟧du'],
  ['repeated', '⟦1⟧⟦1⟧du⟦2⟧'],
  ['replaced by another', '⟦1⟧du⟦1⟧'],
  ['invented', '⟦1⟧du⟦2⟧⟦3⟧'],
  ['out of order', '⟦2⟧du⟦1⟧'],
  ['added', '⟦1⟧du⟦2⟧<script>'],
  ['not a placeholder', '<b>du</b>'],
  ['added and unclosed', '⟦1⟧du⟦2⟧<img onerror=x '],
])('does not restore markup that is %s', (_, translated) => {
  expect(restoreMarkup(translated, protectMarkup('<b>you</b>'))).toBeUndefined();
});

test('protects text that looks like a placeholder like markup', () => {
  const taken = protectMarkup('⟦2⟧ <b>x</b>');
  expect(taken.text).toBe('⟦1⟧ ⟦2⟧x⟦3⟧');
  expect(restoreMarkup(taken.text, taken)).toBe('⟦2⟧ <b>x</b>');
});

test('restores any untranslated text unchanged', () => {
  const piece = fc.oneof(
    fc.constantFrom('<b>', '</b>', '<a href="x">', '</a>', '<br>', '⟦1⟧', '<', '>'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const text = pieces.join('').trim();
      const taken = protectMarkup(text);
      expect(restoreMarkup(taken.text, taken)).toBe(text);
    }),
  );
});
