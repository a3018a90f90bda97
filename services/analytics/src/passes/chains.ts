import type { PersonEvents } from '../engine/engine.ts';
import { countAt, maskAt, timeAt } from './packed-events.ts';
import { createPlaces } from './places.ts';

/** The conditions of chains. Bit 0 of an event is the first step; the bit after the last step excludes it. */
interface ChainRules {
  steps: number;
  /** The maximum time from the first step to any other, in milliseconds. */
  windowMs: number;
  /** Whether every moment with events between the first step and the last has one of the steps. */
  isStrict: boolean;
  bits: number;
}

/** The chains of a person, after `follow`. */
export interface Chains {
  /** Finds the chains in the events of a person. Returns the number of steps of the longest one. */
  follow(events: PersonEvents): number;
  /** Returns the time of each step of the chain that ends at a step, in milliseconds. */
  timesOf(step: number): ArrayLike<number>;
  /** Returns the label of the first event of the chain that ends at a step. */
  labelOf(step: number): string;
  /** Returns the number of events that may begin a chain, each with a label. */
  startsOf(words: PersonEvents['words']): number;
}

/** Earlier than any event. */
const NEVER = -1;

/** Equal events at the same moment. */
interface Alike {
  mask: number;
  count: number;
  /** The number of start events up to the last of them. */
  starts: number;
}

/**
 * Follows chains of steps in one pass over the sorted events of a person. A chain begins at an event of the first
 * step, and continues with the earliest different event of the next step that is not earlier, and so on. For each
 * step, the chain with the latest start counts.
 */
export function createChains({ steps, windowMs, isStrict, bits }: ChainRules): Chains {
  const excluding = 2 ** steps;
  /** The times of the chain that ends at each step, by step and position. */
  const times = new Float64Array(steps * steps);
  /** The number of the start event in the order of time, by the step at which the chain ends. */
  const starts = new Int32Array(steps);
  /** The same, of the chains that count. In strict order, other chains may still become longer. */
  const best = isStrict ? new Float64Array(steps * steps) : times;
  const bestStarts = isStrict ? new Int32Array(steps) : starts;
  let excludedAt = NEVER;
  let label: PersonEvents['label'] = () => '';

  const startOf = (step: number) => times[step * steps] ?? NEVER;
  const isAlive = (step: number, t: number) =>
    startOf(step) !== NEVER && t - startOf(step) <= windowMs && startOf(step) >= excludedAt;

  /** Replaces the chain that ends at a step by one that ends earlier, followed by steps at a moment. */
  function extend(step: number, earlier: number, t: number): void {
    times.copyWithin(step * steps, earlier * steps, earlier * steps + earlier + 1);
    times.fill(t, step * steps + earlier + 1, step * steps + step + 1);
    starts[step] = starts[earlier] ?? 0;
  }

  function begin(step: number, t: number, start: number): void {
    times.fill(t, step * steps, step * steps + step + 1);
    starts[step] = start;
  }

  function followOne(t: number, mask: number, start: number): void {
    for (let step = steps - 1; step > 0; step--) {
      if (isStrict) times[step * steps] = NEVER;
      if ((mask >> step) % 2 === 0 || !isAlive(step - 1, t)) continue;
      if (startOf(step - 1) > startOf(step)) extend(step, step - 1, t);
    }
    if (isStrict) times[0] = NEVER;
    if (mask % 2 === 1) begin(0, t, start);
  }

  /** Events at the same moment have no order, and each can be one step of a chain. */
  function followTogether(t: number, alike: readonly Alike[]): void {
    const masks = alike.flatMap(({ mask, count }) => Array<number>(Math.min(count, steps)).fill(mask));
    const reached = Array.from({ length: steps }, (_, step) =>
      isAlive(step, t) ? lastStepAfter(step, masks) : step,
    );
    for (let step = steps - 1; step >= 0; step--) {
      if (isStrict) times[step * steps] = NEVER;
      let latest = step;
      for (let earlier = step - 1; earlier >= 0; earlier--) {
        if ((reached[earlier] ?? 0) >= step && startOf(earlier) > startOf(latest)) latest = earlier;
      }
      if (latest !== step) extend(step, latest, t);
    }
    for (const { mask, starts: start } of alike) {
      if (mask % 2 === 0) continue;
      const last = lastStepAfter(0, masks.toSpliced(masks.indexOf(mask), 1));
      for (let step = 0; step <= last; step++) {
        if (startOf(step) < t || label(start) > label(starts[step] ?? 0)) begin(step, t, start);
      }
    }
  }

  /** Returns the last of the steps after one that can all have different events of these. */
  function lastStepAfter(step: number, masks: readonly number[]): number {
    let last = step;
    while (last + 1 < steps && haveEvents(step + 1, last + 1, masks)) last++;
    return last;
  }

  function haveEvents(first: number, last: number, masks: readonly number[]): boolean {
    const places = createPlaces();
    const wanted = 2 ** (last + 1) - 2 ** first;
    return masks.filter((mask) => places.add(mask & wanted)).length === last + 1 - first;
  }

  /** Keeps the chains that end at this moment. */
  function keepBest(): void {
    for (let step = 0; step < steps; step++) {
      if (startOf(step) <= (best[step * steps] ?? NEVER)) continue;
      best.set(times.subarray(step * steps, step * steps + step + 1), step * steps);
      bestStarts[step] = starts[step] ?? 0;
    }
  }

  return {
    follow({ words, label: labelAt }) {
      times.fill(NEVER);
      best.fill(NEVER);
      excludedAt = NEVER;
      label = labelAt;
      const count = words.length / 2;
      let start = NEVER;
      for (let event = 0; event < count; ) {
        const t = timeAt(words, event, bits);
        const mask = maskAt(words, event, bits);
        let seen = mask;
        if (event + 1 === count || timeAt(words, event + 1, bits) !== t) {
          start += mask % 2;
          followOne(t, mask, start);
          event++;
        } else {
          const alike: Alike[] = [];
          for (; event < count && timeAt(words, event, bits) === t; event++) {
            const next = maskAt(words, event, bits);
            const last = alike.at(-1);
            seen |= next;
            start += next % 2;
            if (last?.mask !== next) alike.push({ mask: next, count: 1, starts: start });
            else alike[alike.length - 1] = { mask: next, count: last.count + 1, starts: start };
          }
          followTogether(t, alike);
        }
        if (isStrict) keepBest();
        if (seen >= excluding) excludedAt = t;
      }
      let depth = 0;
      while (depth < steps && best[depth * steps] !== NEVER) depth++;
      return depth;
    },
    timesOf: (step) => best.subarray(step * steps, step * steps + step + 1),
    labelOf: (step) => label(bestStarts[step] ?? 0),
    startsOf: (words) => countAt(words, 0),
  };
}
