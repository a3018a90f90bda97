import type { Shortage } from '@switchboard/fairness';
import { OVERLOADED, Unavailable } from '../exchange/errors.ts';

const MESSAGES: Readonly<Record<Shortage, string>> = {
  share: 'Too many bytes in flight from this address or project. Retry after the time in Retry-After.',
  budget: OVERLOADED,
};

/** Returns the 503 of a request that does not fit into MAX_BYTES_IN_FLIGHT. */
export const shortage = (reason: Shortage): Unavailable => new Unavailable(MESSAGES[reason]);
