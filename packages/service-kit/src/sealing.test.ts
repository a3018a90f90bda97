import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigError, parseConfig } from './config.ts';
import { createSealing, hashToken, newToken, sealingSecrets } from './sealing.ts';

const [first, second] = ['1'.repeat(32), '2'.repeat(32)];
const purpose = 'thing';

test('what was sealed opens for its owner, and says nothing to who has only the database', () => {
  const sealing = createSealing({ secrets: [first], purpose });
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (text, owner) => {
      const sealed = sealing.seal(text, owner);
      expect(sealing.open(sealed, owner)).toBe(text);
      expect(() => sealing.open(sealed, `${owner}x`)).toThrow();
    }),
  );
  expect(sealing.seal('a text', 'o')).not.toBe(sealing.seal('a text', 'o'));
});

test('a new secret goes in front: the older ones still open', () => {
  const sealed = createSealing({ secrets: [first], purpose }).seal('a text', 'o');
  expect(createSealing({ secrets: [second, first], purpose }).open(sealed, 'o')).toBe('a text');
  expect(() => createSealing({ secrets: [second], purpose }).open(sealed, 'o')).toThrow('put back');
  expect(() => createSealing({ secrets: [first], purpose: 'other' }).open(sealed, 'o')).toThrow();
});

test('what an older secret sealed is sealed anew with the first', () => {
  const old = createSealing({ secrets: [first], purpose });
  const both = createSealing({ secrets: [second, first], purpose });
  expect([old.hasOlderSecrets, both.hasOlderSecrets]).toEqual([false, true]);
  const renewed = both.renew(old.seal('a text', 'o'), 'o');
  if (typeof renewed === 'string') throw new Error(renewed);
  expect(createSealing({ secrets: [second], purpose }).open(renewed.sealed, 'o')).toBe('a text');
  expect(both.renew(renewed.sealed, 'o')).toBe('sealed with the first');
  expect(both.renew(renewed.sealed, 'p')).toBe('opened by none');
});

test('what was changed or cut does not open', () => {
  const sealing = createSealing({ secrets: [first], purpose });
  const bytes = Buffer.from(sealing.seal('a text', 'o'), 'base64url');
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => sealing.open(changed.toString('base64url'), 'o')).toThrow();
    expect(() => sealing.open(bytes.subarray(0, at).toString('base64url'), 'o')).toThrow();
  }
});

test('a secret shorter than 32 characters is refused when the service starts', () => {
  const settings = z.object({ SECRETS: sealingSecrets });
  expect(parseConfig(settings, { SECRETS: `${first}, ${second}` }).SECRETS).toEqual([first, second]);
  expect(() => parseConfig(settings, { SECRETS: `${first},short` })).toThrow(ConfigError);
});

test('a token is 32 random bytes and is found by its hash', () => {
  expect(newToken()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(newToken()).not.toBe(newToken());
  expect(hashToken('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
});
