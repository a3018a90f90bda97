import type { PersonEvents } from '../engine/engine.ts';
import type { Chains } from './chains.ts';
import { countAt, maskAt, timeAt } from './packed-events.ts';
import { createPlaces } from './places.ts';

/** The steps are the first bits of an event. The next excludes it, and the one after it may begin a chain. */
interface AnyOrderRules {
  steps: number;
  /** The maximum time from the first event to any other, in milliseconds. */
  windowMs: number;
}

/** Returns the number of bits of an event of chains in any order. */
export const anyOrderBits = (steps: number): number => steps + 2;

/**
 * Follows chains of different steps in any order, each an event of its own, in one pass over the sorted events of a
 * person from the last to the first. A chain that ends at the nth step has n of the steps. For each n, the chain with
 * the latest start counts, and then the one with the earliest second event, and so on.
 */
export function createAnyOrder({ steps, windowMs }: AnyOrderRules): Chains {
  const bits = anyOrderBits(steps);
  const stepsMask = 2 ** steps - 1;
  const excluding = 2 ** steps;
  const starting = excluding * 2;
  const startsOf: Chains['startsOf'] = (words) => countAt(words, bits - 1);
  let times: number[][] = [];
  let starts: number[] = [];
  let label: PersonEvents['label'] = () => '';

  return {
    follow({ words, label: labelAt }) {
      label = labelAt;
      times = [];
      starts = [];
      /** The times of later events by the steps that they can be, the earliest last. */
      const later = new Map<number, number[]>();
      let excludedAt = Number.POSITIVE_INFINITY;
      let start = startsOf(words);
      for (let event = words.length / 2 - 1; event >= 0 && times.length < steps; ) {
        const t = timeAt(words, event, bits);
        let isExcluded = false;
        let own: number | undefined;
        for (; event >= 0 && timeAt(words, event, bits) === t; event--) {
          const mask = maskAt(words, event, bits);
          isExcluded ||= (mask & excluding) !== 0;
          if ((mask & stepsMask) === 0) continue;
          const of = later.get(mask & stepsMask) ?? [];
          of.push(t);
          later.set(mask & stepsMask, of);
          if ((mask & starting) === 0) continue;
          start--;
          if (own === undefined || label(start) > label(own)) own = start;
        }
        if (own !== undefined) begin(own, Math.min(t + windowMs, excludedAt), later);
        if (isExcluded) excludedAt = t;
      }
      return times.length;
    },
    timesOf: (step) => (times[step] ?? []).slice(0, step + 1),
    labelOf: (step) => label(starts[step] ?? 0),
    startsOf,
  };

  /** Keeps the chains that begin at a moment and have more steps than those that begin later. */
  function begin(start: number, until: number, later: ReadonlyMap<number, number[]>): void {
    const events = [...later].flatMap(([mask, of]) =>
      // More events of a kind than steps have no effect.
      of
        .slice(-steps)
        .filter((at) => at <= until)
        .map((at) => ({ mask, at })),
    );
    if (events.length <= times.length) return;
    events.sort((one, other) => one.at - other.at);
    const places = createPlaces();
    const reached: number[] = [];
    for (const { mask, at } of events) if (places.add(mask)) reached.push(at);
    for (let step = times.length; step < reached.length; step++) {
      times.push(reached);
      starts.push(start);
    }
  }
}
