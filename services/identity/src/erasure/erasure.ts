import type { Eraser } from '@switchboard/directory';
import type { ErasureStore } from './store.ts';

/** Erases a colleague with the account, its factors, sessions and tokens, and a company with its sign-in settings, users and invitations. */
export function createErasure(store: ErasureStore): Eraser {
  return {
    eraseColleague: (sub) => store.removeAccount(sub),
    eraseCompany: (companyId) => store.removeCompany(companyId),
  };
}
