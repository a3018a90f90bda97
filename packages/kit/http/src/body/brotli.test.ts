import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { leastBytesOf, withWindowFor } from './brotli.ts';

it('computes the minimum size of a stream, and shrinks no window that affects it', () => {
  const repeated = fc
    .tuple(fc.uint8Array({ maxLength: 3_000 }), fc.integer({ min: 1, max: 60 }))
    .map(([bytes, times]) => Buffer.concat(Array.from({ length: times }, () => bytes)));
  const parameters = fc.tuple(fc.integer({ min: 10, max: 24 }), fc.integer({ min: 0, max: 6 }));
  fc.assert(
    fc.property(repeated, parameters, (plain, [window, quality]) => {
      const params = { [constants.BROTLI_PARAM_LGWIN]: window, [constants.BROTLI_PARAM_QUALITY]: quality };
      const wire = brotliCompressSync(plain, { params });
      expect(leastBytesOf(wire)).toBeLessThanOrEqual(plain.length);
      const narrowed = withWindowFor(Math.max(1, plain.length), wire);
      expect(brotliDecompressSync(narrowed).equals(plain)).toBe(true);
    }),
  );
});

it('gives a small body a small window, and a large body its own window', () => {
  const wire = brotliCompressSync(Buffer.alloc(1_000, 'x'));
  expect(wire[0]).toBe(0x1b);
  // 18 bits are 256 KiB, 22 are 4 MiB.
  expect(withWindowFor(65_536, wire)[0]).toBe(0x13);
  expect(withWindowFor(4_194_304, wire)[0]).toBe(0x1b);
});

it('changes nothing in bytes that are too few or invalid', () => {
  for (const bytes of ['', '8b', '0b02', '06', '3b', 'ffffffffff', '110000000000']) {
    const wire = Buffer.from(bytes, 'hex');
    expect(withWindowFor(1, wire)).toHaveLength(wire.length);
    expect(leastBytesOf(wire)).toBeLessThan(2 ** 24 + 1);
  }
});
