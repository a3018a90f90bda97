import { rotateSigningKeys } from '@switchboard/contracts';
import type { Tx } from '@switchboard/database';
import type { ServiceApp } from '@switchboard/http';
import type { SigningKeys } from './signing-keys.ts';

interface SigningKeysRoutesOptions {
  /** Returns the keys as a transaction sees them. */
  keysIn(tx: Tx): SigningKeys;
  /** Signs with the keys in use from now on. Other instances do so within seconds. */
  refresh(): Promise<void>;
}

export function signingKeysRoutes(app: ServiceApp, { keysIn, refresh }: SigningKeysRoutesOptions): void {
  app.implement(rotateSigningKeys, async (c, { change }) => {
    const { revoke } = c.req.valid('json');
    const { id, signsFrom } = await change.transaction(async (tx) => {
      const newest = await keysIn(tx).renew(revoke);
      change.describe({ after: { id: newest.id, revoke } });
      return newest;
    });
    await refresh();
    return c.json({ id, signsFrom: signsFrom.toISOString() }, 200);
  });
}
