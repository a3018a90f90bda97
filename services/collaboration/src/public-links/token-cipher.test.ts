import { describe, expect, it } from 'vitest';
import { createTokenCipher, hashToken, newToken } from './token-cipher.ts';

const [old, current] = ['the-first-secret-of-this-place-0123456', 'the-second-secret-of-this-place-012345'];

describe('a token', () => {
  it('is 32 random bytes, base64url', () => {
    const tokens = Array.from({ length: 100 }, newToken);
    for (const token of tokens) expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(new Set(tokens).size).toBe(100);
  });

  it('is looked up by its SHA-256', () => {
    expect(hashToken('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
  });
});

describe('a sealed token', () => {
  it('opens again for its report alone', () => {
    const cipher = createTokenCipher([current]);
    const sealed = cipher.seal('token', 'shop/signups');
    expect(sealed).not.toContain('token');
    expect(cipher.seal('token', 'shop/signups')).not.toBe(sealed);
    expect(cipher.open(sealed, 'shop/signups')).toBe('token');
    expect(() => cipher.open(sealed, 'shop/revenue')).toThrow(/LINK_SECRET/);
  });

  it('opens with any of the secrets, the oldest too; the first one seals', () => {
    const before = createTokenCipher([old]).seal('token', 'r');
    const both = createTokenCipher([current, old]);
    expect(both.open(before, 'r')).toBe('token');
    expect(createTokenCipher([current]).open(both.seal('token', 'r'), 'r')).toBe('token');
    expect(() => createTokenCipher([current]).open(before, 'r')).toThrow(/LINK_SECRET/);
  });

  it('that was changed does not open', () => {
    const cipher = createTokenCipher([current]);
    const bytes = Buffer.from(cipher.seal('token', 'r'), 'base64url');
    for (const at of [0, 12, 28]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => cipher.open(changed.toString('base64url'), 'r')).toThrow();
    }
  });
});
