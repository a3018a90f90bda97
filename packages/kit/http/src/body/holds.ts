import type { ByteBudget } from '@switchboard/resilience';
import { OVERLOADED, TOO_MUCH_AT_ONCE, Unavailable } from '../exchange/errors.ts';

/** The part of the byte budget that one request holds. */
export interface Hold {
  /** Throws Unavailable if this number of further bytes does not fit now. */
  expect(bytes: number): void;
  /** Adds bytes. Throws Unavailable if they do not fit. */
  take(bytes: number): void;
  /** Returns some of the bytes. */
  give(bytes: number): void;
  /** Also counts current and further bytes for another holder. */
  join(holder: string): void;
  /** Returns the number of bytes that were ever taken, including those given back. */
  taken(): number;
  /** Returns all bytes. */
  release(): void;
}

/**
 * Shares a byte budget among holders, such as addresses and projects. No holder may hold more than the free bytes:
 * one holder gets at most half, two get a third each, and there is always room for another. A holder's only request
 * is exempt, so that large bodies pass a small budget.
 */
export function createHolds(budget: ByteBudget): (holder: string) => Hold {
  const holders = new Map<string, Holder>();
  return (first) => new RequestHold(budget, holders, first);
}

interface Holder {
  name: string;
  /** The number of bytes that its requests hold. */
  bytes: number;
  requests: number;
}

/** A class, since new closures for each request would be a large part of the allocations of a small one. */
class RequestHold implements Hold {
  readonly #budget: ByteBudget;
  readonly #known: Map<string, Holder>;
  readonly #holders: Holder[];
  #own = 0;
  #taken = 0;

  constructor(budget: ByteBudget, known: Map<string, Holder>, first: string) {
    this.#budget = budget;
    this.#known = known;
    this.#holders = [this.#enter(first)];
  }

  #enter(name: string): Holder {
    let holder = this.#known.get(name);
    if (holder === undefined) {
      holder = { name, bytes: 0, requests: 0 };
      this.#known.set(name, holder);
    }
    holder.requests++;
    return holder;
  }

  /** Accepts any size for the only request. Otherwise one larger than the budget would always be rejected. */
  #growAlone(bytes: number): boolean {
    if (this.#budget.used() > this.#own) return false;
    this.#budget.release(this.#own);
    return this.#budget.tryReserve(this.#own + bytes);
  }

  #count(bytes: number): void {
    this.#own += bytes;
    for (const holder of this.#holders) holder.bytes += bytes;
  }

  expect(bytes: number): void {
    const free = this.#budget.free();
    for (const { bytes: all } of this.#holders) {
      if (all > this.#own && all + bytes > free) throw new Unavailable(TOO_MUCH_AT_ONCE);
    }
    if (this.#budget.used() > this.#own && bytes > free) throw new Unavailable(OVERLOADED);
  }

  take(bytes: number): void {
    this.expect(bytes);
    if (!this.#budget.tryReserve(bytes) && !this.#growAlone(bytes)) throw new Unavailable(OVERLOADED);
    this.#taken += bytes;
    this.#count(bytes);
  }

  give(bytes: number): void {
    this.#budget.release(bytes);
    this.#count(-bytes);
  }

  join(name: string): void {
    const holder = this.#enter(name);
    holder.bytes += this.#own;
    this.#holders.push(holder);
  }

  taken(): number {
    return this.#taken;
  }

  release(): void {
    this.give(this.#own);
    for (const holder of this.#holders) {
      holder.requests--;
      if (holder.requests === 0) this.#known.delete(holder.name);
    }
    this.#holders.length = 0;
  }
}
