import type { PersonEvents } from '../engine/engine.ts';
import { maskAt } from './packed-events.ts';

/** The bits of an event of a path: whether paths begin at it, and whether they end at it. */
export const PATH_BITS = 2;
const [BEGINS, ENDS] = [1, 2];

interface PathRules {
  /** `back` follows events from the last that ends paths, `between` up to the next that ends them. */
  direction: 'forward' | 'back' | 'between';
  /** The maximum number of events. */
  levels: number;
}

/**
 * Returns the labels of the path of a person in the order of time, from its sorted events and their labels. Repeats
 * count as one.
 */
export function pathOf({ words, label }: PersonEvents, { direction, levels }: PathRules): string[] {
  const count = words.length / 2;
  const has = (event: number, bit: number) => (maskAt(words, event, PATH_BITS) & bit) !== 0;
  const isBack = direction === 'back';
  const step = isBack ? -1 : 1;
  let event = isBack ? count - 1 : 0;
  while (event >= 0 && event < count && !has(event, isBack ? ENDS : BEGINS)) event += step;
  const path: string[] = [];
  for (const first = event; event >= 0 && event < count && path.length <= levels; event += step) {
    const next = label(event);
    if (next !== path.at(-1)) path.push(next);
    if (direction === 'between' && event > first && has(event, ENDS)) break;
  }
  const shown = path.slice(0, levels);
  return isBack ? shown.reverse() : shown;
}
