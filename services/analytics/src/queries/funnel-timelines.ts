import type { EventChoice, FunnelQuery } from '@switchboard/contracts';
import { type Calendar, type Instants, includes } from '../calendar/calendar.ts';
import type { PersonEvents } from '../engine/engine.ts';
import type { Exclusion } from '../passes/chains.ts';
import type { Packing } from '../passes/packed-events.ts';
import { createPacker } from '../passes/packed-times.ts';
import type { Source } from '../selection/events.ts';
import { timelinesOf } from '../selection/timelines.ts';

/** Counts people by their events, which pass through the chains of a funnel. The order of people makes no difference. */
export interface FunnelCounter<C> {
  /** The name of the counts. */
  counts: string;
  empty(): C;
  /** Adds a person. With the sign -1, takes away what was added for a person with the same events. */
  add(counts: C, events: PersonEvents, sign: 1 | -1): Promise<void> | void;
}

/** The events that end chains between steps. */
export type ExcludedEvents = Exclusion & { choices: readonly EventChoice[] };

interface FunnelEvents {
  calendar: Calendar;
  packing: Packing;
  exclusions: readonly ExcludedEvents[];
  /** The times of events, without gaps. */
  instants: Pick<Instants, 'from' | 'to'>;
}

/** Events of a name, with the choices that select them in different ways. */
interface OfName {
  name: string;
  choices: readonly EventChoice[];
  /** The bits of an event that each choice selects. */
  bits: readonly number[];
}

/**
 * Counts people, without their ids, in the events by person that are kept. Undefined if it cannot. Labels are not kept, nor
 * all events that strict order needs.
 */
export async function countKept<C>(
  query: FunnelQuery,
  source: Source,
  { calendar, packing, exclusions, instants }: FunnelEvents,
  counter: FunnelCounter<C>,
): Promise<C | undefined> {
  const { steps, where = [], breakdown, sameProperty, order } = query;
  if (breakdown !== undefined || sameProperty !== undefined || order === 'strict') return undefined;
  const lists = namesOf(steps, exclusions);
  const isAny = order === 'any';
  const stepBits = 2 ** steps.length - 1;
  const startBit = isAny ? 2 ** (packing.bits - 1) : 1;
  const pack = createPacker(packing, (list, mark, t) => {
    if (t < instants.from || t >= instants.to) return 0;
    const mask = bitsOf(lists[list], mark);
    const mayStart = isAny ? (mask & stepBits) !== 0 : (mask & startBit) !== 0;
    if (!mayStart) return mask;
    return includes(calendar, t) ? mask | startBit : mask & ~startBit;
  });
  return source.countPeople?.(
    lists.map(({ name, choices }) => timelinesOf(source, where, name, choices)),
    {
      key: [counter.counts, query, calendar],
      empty: counter.empty,
      add: (counts, person, sign) =>
        counter.add(counts, { words: pack(person), person: () => '', label: () => '' }, sign),
    },
  );
}

/** Returns the names of the events of a funnel. Two steps may have the same choice. */
function namesOf(steps: readonly EventChoice[], exclusions: readonly ExcludedEvents[]): OfName[] {
  const conditions = [
    ...steps.map((choice, step) => ({ choice, bit: 2 ** step })),
    ...exclusions.flatMap(({ choices, bit }) => choices.map((choice) => ({ choice, bit: 2 ** bit }))),
  ];
  const byName = Map.groupBy(conditions, ({ choice }) => choice.event);
  return [...byName].map(([name, own]) => {
    const byChoice = [...Map.groupBy(own, ({ choice }) => JSON.stringify(choice.where ?? [])).values()];
    return {
      name,
      choices: byChoice.flatMap(([first]) => (first === undefined ? [] : [first.choice])),
      bits: byChoice.map((same) => same.reduce((bits, { bit }) => bits | bit, 0)),
    };
  });
}

/** Returns the conditions of the choices that a mark names. */
function bitsOf(of: OfName | undefined, mark: number): number {
  if (of === undefined) return 0;
  let bits = 0;
  for (let choice = 0; choice < of.bits.length; choice++) {
    if ((mark >> choice) % 2 !== 0) bits |= of.bits[choice] ?? 0;
  }
  return bits;
}
