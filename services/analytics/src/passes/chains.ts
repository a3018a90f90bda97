import type { PersonEvents } from '../engine/engine.ts';
import { countAt, maskAt, timeAt } from './packed-events.ts';
import { createPlaces } from './places.ts';

/** The steps between which an event ends a chain, and the bit of such an event. */
export interface Exclusion {
  from: number;
  to: number;
  bit: number;
}

/** The conditions of chains. The first bits of an event are the steps. */
interface ChainRules {
  /** Whether chains can leave out each step. Not the first or the last. */
  isOptional: readonly boolean[];
  /** The maximum time from the first step to any other, in milliseconds. */
  windowMs: number;
  /** Whether every moment with events between the first step and the last has one of the steps. */
  isStrict: boolean;
  /** From and to steps that chains cannot leave out. */
  exclusions: readonly Exclusion[];
  /** The number of bits of an event. */
  bits: number;
}

/** The chains of a person, after `follow`. */
export interface Chains {
  /** Finds the chains in the events of a person. Returns the number of steps of the longest one. */
  follow(events: PersonEvents): number;
  /**
   * Returns the time of each step of the chain that ends at a step, in milliseconds. That of an optional step in between
   * is the time of the step before.
   */
  timesOf(step: number): ArrayLike<number>;
  /** Returns the label of the first event of the chain that ends at a step. */
  labelOf(step: number): string;
  /** Returns the number of events that may begin a chain, each with a label. */
  startsOf(words: PersonEvents['words']): number;
}

/** Earlier than any event. */
const NEVER = -1;
const NONE = -1;

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
 *
 * An excluded event ends every chain between its steps, unless the step from which it counts is at the same moment.
 * So among the chains that end at a step and go on, the one with the latest start can do all that the others can.
 */
export function createChains({ isOptional, windowMs, isStrict, exclusions, bits }: ChainRules): Chains {
  const steps = isOptional.length;
  /** The last step before each one that chains cannot leave out. */
  const required = isOptional.map((_, step) => requiredBefore(isOptional, step));
  /** The times of the chain that ends at each step and goes on, by step and position. */
  const times = new Float64Array(steps * steps);
  /** The number of the start event in the order of time, by the step at which the chain ends. */
  const starts = new Int32Array(steps);
  /** Whether a chain may have to end, while others that begin no later go on. */
  const mayEnd = isStrict || exclusions.length > 0;
  /** The same, of the chains that count. */
  const best = mayEnd ? new Float64Array(steps * steps) : times;
  const bestStarts = mayEnd ? new Int32Array(steps) : starts;
  const limits = createLimits(steps, exclusions);
  let label: PersonEvents['label'] = () => '';

  const startOf = (step: number) => times[step * steps] ?? NEVER;
  const isAlive = (step: number, t: number) => startOf(step) !== NEVER && t - startOf(step) <= windowMs;

  /** Replaces the chain that ends at a step by one that ends earlier, followed by steps at a moment. */
  function extend(step: number, earlier: number, t: number): void {
    const row = step * steps;
    times.copyWithin(row, earlier * steps, earlier * steps + earlier + 1);
    times.fill(t, row + earlier + 1, row + step + 1);
    for (let at = Math.max(earlier, 1); at < step; at++) {
      if (isOptional[at] === true) times[row + at] = times[row + at - 1] ?? NEVER;
    }
    starts[step] = starts[earlier] ?? 0;
  }

  function begin(step: number, t: number, start: number): void {
    times.fill(t, step * steps, step * steps + step + 1);
    starts[step] = start;
  }

  function end(step: number): void {
    times[step * steps] = NEVER;
  }

  /** Lets the chain that ends at a step count, if it begins later than the one that counts. */
  function keepBest(step: number): void {
    if (!mayEnd || startOf(step) <= (best[step * steps] ?? NEVER)) return;
    best.set(times.subarray(step * steps, step * steps + step + 1), step * steps);
    bestStarts[step] = starts[step] ?? 0;
  }

  function followOne(t: number, mask: number, start: number): void {
    const limitOf = limits(mask);
    for (let step = steps - 1; step > 0; step--) {
      if (isStrict) end(step);
      let latest = NONE;
      if ((mask >> step) % 2 === 1) {
        for (let earlier = step - 1; earlier >= (required[step] ?? 0); earlier--) {
          if (!isAlive(earlier, t)) continue;
          if (latest === NONE || startOf(earlier) > startOf(latest)) latest = earlier;
        }
      }
      if (latest !== NONE && startOf(latest) > startOf(step)) {
        extend(step, latest, t);
        keepBest(step);
      }
      const limit = limitOf?.[step] ?? steps;
      if (limit > step) continue;
      if (latest !== NONE && limit === step) extend(step, latest, t);
      else end(step);
    }
    if (isStrict || limitOf?.[0] === 0) end(0);
    if (mask % 2 === 0) return;
    begin(0, t, start);
    keepBest(0);
  }

  /** Events at the same moment have no order, and each can be one step of a chain. */
  function followTogether(t: number, alike: readonly Alike[]): void {
    const masks = alike.flatMap(({ mask, count }) => Array<number>(Math.min(count, steps)).fill(mask));
    const limitOf = limits(alike.reduce((all, { mask }) => all | mask, 0));
    const reached = Array.from({ length: steps }, (_, step) =>
      isAlive(step, t) ? stepsAfter(step, masks) : 0,
    );
    /** Returns the last step before one at which the latest chain ends that goes on to a step now. */
    const latestTo = (step: number, before: number) => {
      let latest = NONE;
      for (let earlier = before - 1; earlier >= 0; earlier--) {
        if (((reached[earlier] ?? 0) >> step) % 2 === 0) continue;
        if (latest === NONE || startOf(earlier) > startOf(latest)) latest = earlier;
      }
      return latest;
    };
    for (let step = steps - 1; step >= 0; step--) {
      if (isStrict) end(step);
      const latest = latestTo(step, step);
      if (latest !== NONE && startOf(latest) > startOf(step)) {
        extend(step, latest, t);
        keepBest(step);
      }
      const limit = limitOf?.[step] ?? steps;
      if (limit > step) continue;
      const left = latestTo(step, limit);
      if (left === NONE) end(step);
      else extend(step, left, t);
    }
    for (const { mask, starts: start } of alike) {
      if (mask % 2 === 0) continue;
      const now = stepsAfter(0, masks.toSpliced(masks.indexOf(mask), 1)) + 1;
      for (let step = 0; step < steps; step++) {
        if ((now >> step) % 2 === 0) continue;
        if (startOf(step) < t || label(start) > label(starts[step] ?? 0)) begin(step, t, start);
      }
    }
    for (let step = 0; step < steps; step++) keepBest(step);
  }

  /** Returns the steps after one that can be next at a moment with these events, as bits. */
  function stepsAfter(first: number, masks: readonly number[]): number {
    let [found, between] = [0, 0];
    for (let step = first + 1; step < steps; step++) {
      if (haveEvents(between + 2 ** step, masks)) found += 2 ** step;
      else if (isOptional[step] !== true) break;
      if (isOptional[step] !== true) between += 2 ** step;
    }
    return found;
  }

  /** Whether each of some steps can have an event of its own. */
  function haveEvents(wanted: number, masks: readonly number[]): boolean {
    const places = createPlaces();
    const missing = masks.reduce(
      (left, mask) => (places.add(mask & wanted) ? left & (left - 1) : left),
      wanted,
    );
    return missing === 0;
  }

  return {
    follow({ words, label: labelAt }) {
      times.fill(NEVER);
      best.fill(NEVER);
      label = labelAt;
      const count = words.length / 2;
      let start = NEVER;
      for (let event = 0; event < count; ) {
        const t = timeAt(words, event, bits);
        const mask = maskAt(words, event, bits);
        if (event + 1 === count || timeAt(words, event + 1, bits) !== t) {
          start += mask % 2;
          followOne(t, mask, start);
          event++;
        } else {
          const alike: Alike[] = [];
          for (; event < count && timeAt(words, event, bits) === t; event++) {
            const next = maskAt(words, event, bits);
            const last = alike.at(-1);
            start += next % 2;
            if (last?.mask !== next) alike.push({ mask: next, count: 1, starts: start });
            else alike[alike.length - 1] = { mask: next, count: last.count + 1, starts: start };
          }
          followTogether(t, alike);
        }
      }
      let last = steps - 1;
      while (last >= 0 && (isOptional[last] === true || best[last * steps] === NEVER)) last--;
      return last + 1;
    },
    timesOf: (step) => best.subarray(step * steps, step * steps + step + 1),
    labelOf: (step) => label(bestStarts[step] ?? 0),
    startsOf: (words) => countAt(words, 0),
  };
}

/** Returns the last step before one that chains cannot leave out. */
export function requiredBefore(isOptional: readonly boolean[], step: number): number {
  let before = step - 1;
  while (isOptional[before] === true) before--;
  return before;
}

/**
 * Returns, for the events of a moment, the least step from which each chain must be at this moment to go on, by the
 * step at which it ends; the number of steps for none. Undefined if nothing is excluded.
 */
function createLimits(
  steps: number,
  exclusions: readonly Exclusion[],
): (mask: number) => Int32Array | undefined {
  const bits = exclusions.reduce((all, { bit }) => all | (1 << bit), 0);
  const known = new Map<number, Int32Array>();
  return (mask) => {
    const excluded = mask & bits;
    if (excluded === 0) return undefined;
    const before = known.get(excluded);
    if (before !== undefined) return before;
    const present = exclusions.filter(({ bit }) => (excluded >> bit) % 2 === 1);
    const limits = Int32Array.from({ length: steps }, (_, step) =>
      Math.min(steps, ...present.filter(({ from, to }) => from <= step && step < to).map(({ from }) => from)),
    );
    known.set(excluded, limits);
    return limits;
  };
}
