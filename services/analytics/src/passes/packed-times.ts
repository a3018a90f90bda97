import type { PersonEvents } from '../engine/engine.ts';
import type { PersonTimes } from '../timelines/by-person.ts';
import { type Packing, packAt } from './packed-events.ts';

/** Returns the conditions that an event of a list fulfills, as bits; 0 for an event to leave out. */
type MaskOf = (list: number, mark: number, t: number) => number;

const FIRST_SIZE = 1_000;

/** Returns a function that packs and sorts the events of a person. Its result is valid until the next call. */
export function createPacker(packing: Packing, maskOf: MaskOf) {
  let integers = new BigInt64Array(FIRST_SIZE);
  let words = new Uint32Array(integers.buffer);

  return ({ times, marks, ends }: PersonTimes): PersonEvents['words'] => {
    if (integers.length < times.length) {
      integers = new BigInt64Array(times.length * 2);
      words = new Uint32Array(integers.buffer);
    }
    let count = 0;
    for (let list = 0, event = 0; list < ends.length; list++) {
      for (const end = ends[list] ?? 0; event < end; event++) {
        const t = times[event] ?? 0;
        const mask = maskOf(list, marks?.[event] ?? 1, t);
        if (mask === 0) continue;
        packAt(words, count++, packing, t, mask);
      }
    }
    integers.subarray(0, count).sort();
    return words.subarray(0, count * 2);
  };
}
