import type { PersonEvents } from '../engine/engine.ts';
import type { Chains } from './chains.ts';
import { maskAt, type Packing, timeAt } from './packed-events.ts';

/** Chooses the events that begin chains, by their time in milliseconds since 1970. */
export interface Starts {
  /** Returns chains that begin only at the chosen events. */
  within(chains: Chains): Chains;
  /** Chooses the events. Without it, all that may begin a chain. */
  only(isStart: (t: number) => boolean): void;
  /** Returns the times of the events that may begin a chain. */
  timesOf(events: PersonEvents): number[];
}

/** The first word of the integer before the events of a value, and its second. */
const SEPARATOR_WORD = 0xffff_ffff;

export function createStarts({ from, bits, startBit }: Packing & { startBit: number }): Starts {
  let isChosen: ((t: number) => boolean) | undefined;
  let chosen = new Uint32Array();
  const isStart = (words: PersonEvents['words'], event: number) =>
    words[event * 2 + 1] !== SEPARATOR_WORD && (maskAt(words, event, bits) >> startBit) % 2 === 1;
  return {
    within: (chains) => ({
      ...chains,
      follow(events) {
        const { words } = events;
        if (isChosen === undefined) return chains.follow(events);
        if (chosen.length < words.length) chosen = new Uint32Array(words.length * 2);
        const labels: number[] = [];
        let start = 0;
        chosen.set(words);
        for (let event = 0; event < words.length / 2; event++) {
          if (!isStart(words, event)) continue;
          if (isChosen(timeAt(words, event, bits) + from)) labels.push(start);
          else chosen[event * 2] = (words[event * 2] ?? 0) - 2 ** startBit;
          start++;
        }
        if (labels.length === 0) return 0;
        return chains.follow({
          ...events,
          words: chosen.subarray(0, words.length),
          label: (index) => events.label(labels[index] ?? 0),
        });
      },
    }),
    only(isStartOf) {
      isChosen = isStartOf;
    },
    timesOf({ words }) {
      const times: number[] = [];
      for (let event = 0; event < words.length / 2; event++) {
        if (isStart(words, event)) times.push(timeAt(words, event, bits) + from);
      }
      return times;
    },
  };
}
