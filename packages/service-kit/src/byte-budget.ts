import { Unavailable } from './errors.ts';

/** Counts bytes held in memory against a bound, so that a rush of bodies is refused instead of hoarded. */
export interface ByteBudget {
  /** Takes `bytes` or throws Unavailable. */
  reserve(bytes: number): void;
  release(bytes: number): void;
  used(): number;
}

export function createByteBudget(limit: number): ByteBudget {
  let used = 0;
  return {
    reserve(bytes) {
      if (used + bytes > limit) {
        throw new Unavailable(
          'The service is taking in as much as it can; send this again after Retry-After.',
        );
      }
      used += bytes;
    },
    release(bytes) {
      used -= bytes;
    },
    used: () => used,
  };
}
