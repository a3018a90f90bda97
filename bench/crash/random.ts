/** Random numbers that are the same for the same seed, so that a run can be repeated. */
export interface Random {
  /** From 0 up to but not 1. */
  next(): number;
  /** A whole number, both ends included. */
  between(min: number, max: number): number;
  chance(share: number): boolean;
  shuffle<T>(values: readonly T[]): T[];
}

/** Mulberry32 by Tommy Ettinger: 32 bits of state, enough to choose what is killed when. */
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
