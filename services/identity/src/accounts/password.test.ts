import { expect, it } from 'vitest';
import { createPasswordCheck, hashPassword, isPassword } from './password.ts';

it('accepts exactly the password that was hashed, whatever its letters are composed of', async () => {
  const password = `Zürich ${'🦭'.repeat(190)}`;
  const hash = await hashPassword(password);
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await isPassword(password.normalize('NFD'), hash)).toBe(true);
  expect(await isPassword(`${password}!`, hash)).toBe(false);
  expect(await isPassword('', null)).toBe(false);
});

it('refuses short and guessable passwords, and has no rules of composition', () => {
  const check = createPasswordCheck();
  expect(check('tiny 1!A', [])).toBe('short');
  expect(check('x'.repeat(201), [])).toBe('long');
  expect(check('password123', [])).toBe('guessable');
  expect(check('Ada.Lovelace@acme.example', ['ada.lovelace@acme.example', 'Ada Lovelace'])).toBe('guessable');
  expect(check('three lazy walruses in trieste', [])).toBeUndefined();
});
