import type { PersonEvents } from '../engine/engine.ts';
import type { Chains } from './chains.ts';

/** Precedes the events of each value. No event is negative. */
const SEPARATOR_WORD = 0xffff_ffff;

/** A chain that ends at a step. */
interface Chain {
  times: readonly number[];
  label: string;
}

/**
 * Follows chains among the events of each value of a property alone. The best chain of all values counts. The lists of
 * events follow each other, each after the integer -1, and so do their labels.
 */
export function createPerValue(chains: Chains): Chains {
  let best: Chain[] = [];
  return {
    follow({ words, person, label }) {
      best = [];
      let labels = 0;
      for (let first = 2; first <= words.length; ) {
        let end = first;
        while (end < words.length && words[end + 1] !== SEPARATOR_WORD) end += 2;
        const before = labels;
        const own: PersonEvents = {
          words: words.subarray(first, end),
          person,
          label: (index) => label(before + index),
        };
        const count = chains.follow(own);
        for (let step = 0; step < count; step++) {
          const chain = { times: Array.from(chains.timesOf(step)), label: chains.labelOf(step) };
          if (isBetter(chain, best[step])) best[step] = chain;
        }
        labels += chains.startsOf(own.words);
        first = end + 2;
      }
      return best.length;
    },
    timesOf: (step) => best[step]?.times ?? [],
    labelOf: (step) => best[step]?.label ?? '',
    startsOf: chains.startsOf,
  };
}

/** Whether a chain begins later than another one, or reaches a step earlier. */
function isBetter(one: Chain, other: Chain | undefined): boolean {
  if (other === undefined) return true;
  for (const [step, t] of one.times.entries()) {
    const difference = (other.times[step] ?? 0) - t;
    if (difference !== 0) return step === 0 ? difference < 0 : difference > 0;
  }
  return one.label > other.label;
}
