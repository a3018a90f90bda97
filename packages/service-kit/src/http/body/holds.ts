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
  const held = new Map<string, number>();

  function count(holder: string, bytes: number): void {
    const now = (held.get(holder) ?? 0) + bytes;
    if (now === 0) held.delete(holder);
    else held.set(holder, now);
  }

  return (first) => {
    const holders = [first];
    let own = 0;
    let taken = 0;

    /** The only request fits whatever its size, or one that is larger than the budget would be refused forever. */
    function growAlone(bytes: number): boolean {
      if (budget.used() > own) return false;
      budget.release(own);
      return budget.tryReserve(own + bytes);
    }

    function give(bytes: number): void {
      budget.release(bytes);
      own -= bytes;
      for (const holder of holders) count(holder, -bytes);
    }

    function expect(bytes: number): void {
      const free = budget.free();
      for (const holder of holders) {
        const all = held.get(holder) ?? 0;
        if (all > own && all + bytes > free) throw new Unavailable(TOO_MUCH_AT_ONCE);
      }
      if (budget.used() > own && bytes > free) throw new Unavailable(OVERLOADED);
    }

    return {
      expect,
      take(bytes) {
        expect(bytes);
        if (!budget.tryReserve(bytes) && !growAlone(bytes)) throw new Unavailable(OVERLOADED);
        own += bytes;
        taken += bytes;
        for (const holder of holders) count(holder, bytes);
      },
      give,
      join(holder) {
        holders.push(holder);
        count(holder, own);
      },
      taken: () => taken,
      release: () => give(own),
    };
  };
}
