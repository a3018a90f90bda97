import { expect, it } from 'vitest';
import { createAccounts } from './accounts.ts';
import type { AccountsStore } from './store.ts';

it('checks the password of a known device before those of unknown devices that wait', async () => {
  const store = { findByEmail: async () => undefined } as Partial<AccountsStore> as AccountsStore;
  const accounts = createAccounts({ store, clock: { now: () => new Date() } });
  const checked: string[] = [];
  async function check(device?: string): Promise<void> {
    await accounts.verifyPassword('ada@acme.example', 'wrong', device);
    checked.push(device ?? 'unknown');
  }
  await Promise.all([...Array.from({ length: 12 }, () => check()), check('laptop')]);
  expect(checked.indexOf('laptop')).toBeLessThan(5);
});
