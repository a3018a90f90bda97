import { expect, it } from 'vitest';
import { giveScratch, takeScratch } from './scratch.ts';

it('reuses scratch memory, and frees it at once when it is large', () => {
  const usual = takeScratch(1_000);
  giveScratch(usual);
  expect(takeScratch(500_000)).toBe(usual);
  const large = takeScratch(2_000_000);
  giveScratch(large);
  expect(large).toHaveLength(0);
});
