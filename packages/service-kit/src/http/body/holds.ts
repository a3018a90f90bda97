import type { ByteBudget } from '@switchboard/resilience';
import { OVERLOADED, TOO_MUCH_AT_ONCE, Unavailable } from '../errors.ts';

/** What one request holds of the byte budget. */
export interface Hold {
  /** Throws Unavailable when so many further bytes do not fit now. */
  expect(bytes: number): void;
  /** Adds bytes; throws Unavailable when they do not fit. */
  take(bytes: number): void;
  /** Returns some of the bytes. */
  give(bytes: number): void;
  /** Counts the bytes, and further ones, for another holder too. */
  join(holder: string): void;
  /** All bytes that were taken, returned or not. */
  taken(): number;
  /** Returns all bytes. */
  release(): void;
}

/**
 * Shares a byte budget among holders, such as addresses and projects: none may hold more than is free. A single one
 * gets at most half, two a third each, and there is always room for another. A holder's only request is exempt, so
 * that large bodies pass a small budget.
 */
export function createHolds(budget: ByteBudget): (holder: string) => Hold {
  const holders = new Map<string, Holder>();
  return (first) => new RequestHold(budget, holders, first);
}

interface Holder {
  name: string;
  /** That its requests hold. */
  bytes: number;
  requests: number;
}

/** A class, since its functions made anew for each request would be a large part of what a small one allocates. */
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

  /** The only request fits whatever its size, or one that is larger than the budget would be refused forever. */
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
