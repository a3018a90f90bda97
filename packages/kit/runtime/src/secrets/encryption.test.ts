import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { ConfigError, parseConfig } from '../settings/config.ts';
import { createEncryption, encryptionSecrets } from './encryption.ts';
import { hashToken, newToken } from './tokens.ts';

const [first, second] = ['1'.repeat(32), '2'.repeat(32)];
const purpose = 'thing';

test('a text decrypts only for its context', async () => {
  const encryption = createEncryption({ secrets: [first], purpose });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string(), async (text, context) => {
      const encrypted = await encryption.encrypt(text, context);
      expect(await encryption.decrypt(encrypted, context)).toBe(text);
      await expect(encryption.decrypt(encrypted, `${context}x`)).rejects.toThrow();
    }),
  );
  expect(await encryption.encrypt('a text', 'o')).not.toBe(await encryption.encrypt('a text', 'o'));
});

test('after a new secret is prepended, the older ones still decrypt', async () => {
  const encrypted = await createEncryption({ secrets: [first], purpose }).encrypt('a text', 'o');
  const decrypt = (secrets: string[], of = purpose) =>
    createEncryption({ secrets, purpose: of }).decrypt(encrypted, 'o');
  expect(await decrypt([second, first])).toBe('a text');
  await expect(decrypt([second])).rejects.toThrow('restore');
  await expect(decrypt([first], 'other')).rejects.toThrow();
});

test('a text that was encrypted with an older secret is re-encrypted with the first', async () => {
  const old = createEncryption({ secrets: [first], purpose });
  const both = createEncryption({ secrets: [second, first], purpose });
  expect([old.hasOlderSecrets, both.hasOlderSecrets]).toEqual([false, true]);
  const renewed = await both.reencrypt(await old.encrypt('a text', 'o'), 'o');
  if (typeof renewed === 'string') throw new Error(renewed);
  const { encrypted } = renewed;
  expect(await createEncryption({ secrets: [second], purpose }).decrypt(encrypted, 'o')).toBe('a text');
  expect(await both.reencrypt(encrypted, 'o')).toBe('current');
  expect(await both.reencrypt(encrypted, 'p')).toBe('undecryptable');
});

test('a text that was changed or truncated does not decrypt', async () => {
  const encryption = createEncryption({ secrets: [first], purpose });
  const encrypted = await encryption.encrypt('a text', 'o');
  for (let at = 0; at < encrypted.length; at++) {
    await expect(encryption.decrypt(encrypted.slice(0, at), 'o')).rejects.toThrow();
  }
  const parts = encrypted.split('.');
  for (const [index, part] of parts.entries()) {
    const bytes = Buffer.from(part, 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const text = parts.with(index, changed.toString('base64url')).join('.');
      await expect(encryption.decrypt(text, 'o')).rejects.toThrow();
    }
  }
});

test('a secret shorter than 32 characters is refused when the service starts', () => {
  const settings = z.object({ SECRETS: encryptionSecrets });
  expect(parseConfig(settings, { SECRETS: `${first}, ${second}` }).SECRETS).toEqual([first, second]);
  expect(() => parseConfig(settings, { SECRETS: `${first},short` })).toThrow(ConfigError);
});

test('a token is 32 random bytes and is found by its hash', () => {
  expect(newToken()).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(newToken()).not.toBe(newToken());
  expect(hashToken('abc')).toBe('ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0');
});
