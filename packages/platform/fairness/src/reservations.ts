import type { ByteBudget } from './byte-budget.ts';

/** Why bytes do not fit: a fairness key has its share, or the whole budget is reserved. */
export type Shortage = 'share' | 'budget';

/** The part of a byte budget that one request has reserved. It grows as the request does. */
export interface Reservation {
  /** Throws if this number of further bytes does not fit now. */
  expect(bytes: number): void;
  /** Reserves further bytes. Throws if they do not fit. */
  take(bytes: number): void;
  /** Returns some of the bytes. */
  give(bytes: number): void;
  /** Also counts current and further bytes for another fairness key. */
  join(fairnessKey: string): void;
  /** Returns the number of bytes that were ever taken, including those given back. */
  taken(): number;
  /** Returns all bytes. */
  release(): void;
}

/**
 * Shares a byte budget among fairness keys. No key may reserve more than the free bytes: one key gets at most half,
 * two get a third each, and there is always room for another. The only request of a key is exempt, so that large
 * bodies pass a small budget. `shortage` returns the error that is thrown for bytes that do not fit.
 */
export function createReservations(
  budget: ByteBudget,
  shortage: (reason: Shortage) => Error,
): (fairnessKey: string) => Reservation {
  const shares = new Map<string, Share>();
  return (first) => new RequestReservation(budget, shares, shortage, first);
}

/** The bytes of one fairness key. */
interface Share {
  key: string;
  /** The number of bytes that its requests have reserved. */
  bytes: number;
  requests: number;
}

/** A class, since new closures for each request would be a large part of the allocations of a small one. */
class RequestReservation implements Reservation {
  readonly #budget: ByteBudget;
  readonly #known: Map<string, Share>;
  readonly #shortage: (reason: Shortage) => Error;
  readonly #shares: Share[];
  #own = 0;
  #taken = 0;

  constructor(
    budget: ByteBudget,
    known: Map<string, Share>,
    shortage: (reason: Shortage) => Error,
    first: string,
  ) {
    this.#budget = budget;
    this.#known = known;
    this.#shortage = shortage;
    this.#shares = [this.#enter(first)];
  }

  #enter(key: string): Share {
    let share = this.#known.get(key);
    if (share === undefined) {
      share = { key, bytes: 0, requests: 0 };
      this.#known.set(key, share);
    }
    share.requests++;
    return share;
  }

  /** Accepts any size for the only request. Otherwise one larger than the budget would always be rejected. */
  #growAlone(bytes: number): boolean {
    if (this.#budget.used() > this.#own) return false;
    this.#budget.release(this.#own);
    return this.#budget.tryReserve(this.#own + bytes);
  }

  #count(bytes: number): void {
    this.#own += bytes;
    for (const share of this.#shares) share.bytes += bytes;
  }

  expect(bytes: number): void {
    const free = this.#budget.free();
    for (const { bytes: all } of this.#shares) {
      if (all > this.#own && all + bytes > free) throw this.#shortage('share');
    }
    if (this.#budget.used() > this.#own && bytes > free) throw this.#shortage('budget');
  }

  take(bytes: number): void {
    this.expect(bytes);
    if (!this.#budget.tryReserve(bytes) && !this.#growAlone(bytes)) throw this.#shortage('budget');
    this.#taken += bytes;
    this.#count(bytes);
  }

  give(bytes: number): void {
    this.#budget.release(bytes);
    this.#count(-bytes);
  }

  join(key: string): void {
    const share = this.#enter(key);
    share.bytes += this.#own;
    this.#shares.push(share);
  }

  taken(): number {
    return this.#taken;
  }

  release(): void {
    this.give(this.#own);
    for (const share of this.#shares) {
      share.requests--;
      if (share.requests === 0) this.#known.delete(share.key);
    }
    this.#shares.length = 0;
  }
}
