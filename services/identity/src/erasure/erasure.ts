import type { Eraser } from '@switchboard/directory';
import type { ErasureStore } from './store.ts';

/** Erases a colleague with the account, its factors, sessions and tokens, and the sign-in settings of a company. */
export function createErasure(store: ErasureStore): Eraser {
  return {
    eraseColleague: (sub) => store.removeAccount(sub),
    eraseCompany: (companyId) => store.removeCompany(companyId),
  };
}
