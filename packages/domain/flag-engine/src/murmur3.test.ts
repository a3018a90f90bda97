import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hashableSuffix, hashPrefix, hashTogether, murmur3, utf8 } from './murmur3.ts';

const anyText = fc.string({ unit: fc.oneof(fc.constantFrom('a', 'é', '€', '😀', '\ud800', '\udc00')) });

test.each([
  ['ejOoVL', 0],
  ['bY9fO-', 1],
  ['SI7p-', 2147483647],
  ['6LvT0', 2147483648],
  ['ceQdGm', 4294967295],
  ['caf\u00e9', 605818632],
])('hashes %s to %d with seed 0', (text, hash) => {
  expect(murmur3(text, 0)).toBe(hash);
});

test('hashes a text continued from a prefix as both texts together', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.integer({ min: 0, max: 2 ** 31 - 1 }), (left, right, seed) => {
      const together = hashTogether(hashPrefix(`${left}:`, seed), hashableSuffix(right));
      expect(together).toBe(murmur3(`${left}:${right}`, seed));
    }),
  );
});

test('encodes strings as TextEncoder does, with U+FFFD for lone surrogates', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, fc.string({ unit: 'binary' })), (text) => {
      expect(utf8(text)).toEqual([...new TextEncoder().encode(text)]);
    }),
  );
});
