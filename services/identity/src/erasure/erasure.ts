import type { Eraser } from '@switchboard/directory';
import type { ErasureStore } from './store.ts';

/** Erases a colleague: the account, its factors, its sessions and its tokens. Other data of people is not here. */
export function createErasure(store: ErasureStore): Eraser {
  return {
    eraseColleague: (sub) => store.removeAccount(sub),
  };
}
