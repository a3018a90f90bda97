import { createRetention } from '@switchboard/runtime';
import type { Identity } from '../config.ts';
import { createExpiryStore } from '../expiry/store.ts';

const ROWS_PER_STATEMENT = 5_000;
const KINDS = ['sessions', 'tickets', 'OpenID state'] as const;

/** Removes sessions, tickets and state of the OpenID provider once they have expired. */
export function openSweep(service: Identity): void {
  const { db, run } = service;
  const store = createExpiryStore(db);
  const data = KINDS.map((kind) => ({
    kind,
    days: 0,
    removeBefore: async (time: Date) => ({ rows: await store.remove(kind, time, ROWS_PER_STATEMENT) }),
    oldest: async () => undefined,
  }));
  run(createRetention({ ...service, data }));
}
