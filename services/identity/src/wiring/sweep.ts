import { createRetention } from '@switchboard/runtime';
import type { Identity } from '../config.ts';
import { createOidcRecordsStore } from '../oidc-records/store.ts';
import { createSessionsStore } from '../sessions/store.ts';
import { createTicketsStore } from '../tickets/store.ts';

const ROWS_PER_STATEMENT = 5_000;

/** Removes sessions, tickets and state of the OpenID provider once they have expired. */
export function openSweep(service: Identity): void {
  const { db, run } = service;
  const expiring = (
    kind: string,
    store: { removeExpired(before: Date, limit: number): Promise<number> },
  ) => ({
    kind,
    days: 0,
    removeBefore: async (time: Date) => ({ rows: await store.removeExpired(time, ROWS_PER_STATEMENT) }),
    oldest: async () => undefined,
  });
  const data = [
    expiring('sessions', createSessionsStore(db)),
    expiring('tickets', createTicketsStore(db)),
    expiring('OpenID state', createOidcRecordsStore(db)),
  ];
  run(createRetention({ ...service, data }));
}
