/** A random number generator with a seed, so that a run can be repeated. */
export interface Random {
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  next(): number;
  /** Returns an integer between both bounds, inclusive. */
  between(min: number, max: number): number;
  chance(share: number): boolean;
  shuffle<T>(values: readonly T[]): T[];
}

/** Creates a Mulberry32 generator (by Tommy Ettinger). Its 32 bits of state suffice to choose targets and times. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    between,
    chance: (share) => next() < share,
    shuffle(values) {
      const shuffled = [...values];
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = between(0, last);
        const [a, b] = [shuffled[last], shuffled[other]];
        if (a === undefined || b === undefined) continue;
        shuffled[last] = b;
        shuffled[other] = a;
      }
      return shuffled;
    },
  };
}
