import type { Ruleset as CompiledFlags, Decision } from '@switchboard/flag-engine';
import type { Ruleset } from '../rulesets/ruleset.ts';

/** How often a flag served a variation. */
export interface Served {
  projectId: string;
  key: string;
  /** The key of a variation, `on` or `off`. */
  variation: string;
  count: number;
}

/** Evaluations since they were last taken, counted in memory. */
export interface Tallies {
  /** Counts one evaluation of every flag of a ruleset. `outcomes` is that of `outcomesOf`. */
  addAll(projectId: string, ruleset: Ruleset, outcomes: string): void;
  /** Counts evaluations of a flag. */
  add(projectId: string, ruleset: Ruleset, decision: Decision): void;
  /** Counts what a client reports. Returns false if the ruleset has no such flag or variation. */
  addReported(projectId: string, ruleset: Ruleset, reported: Omit<Served, 'projectId'>): boolean;
  /** Returns the counts and starts from zero. */
  take(): Served[];
}

/** The counts of a ruleset. Those of a flag start at its offset: off, then on or its variations. */
interface Tally {
  projectId: string;
  ruleset: Ruleset;
  offsets: Uint32Array;
  counts: Float64Array;
}

const OFF = 0;
const ON = 1;
/** Counted rulesets stay in memory until the counts are taken, although the cache may have dropped them. */
const MAX_BYTES = 32 * 1024 * 1024;

type CompiledFlag = CompiledFlags['flags'][number];

/**
 * Counts evaluations by ruleset and position, so that a request increments numbers and looks up no names.
 */
export function createTallies(maxBytes = MAX_BYTES): Tallies {
  const current = new Map<string, Tally>();
  let done: Served[] = [];
  let bytes = 0;

  function tallyOf(projectId: string, ruleset: Ruleset): Tally {
    const known = current.get(projectId);
    if (known?.ruleset === ruleset) return known;
    if (known !== undefined) done = done.concat(servedOf(known));
    bytes += ruleset.bytes;
    if (bytes > maxBytes) settle();
    const tally = newTally(projectId, ruleset);
    current.set(projectId, tally);
    return tally;
  }

  /** Turns counts into names, so that rulesets are freed. */
  function settle(): void {
    done = done.concat(...Array.from(current.values(), servedOf));
    current.clear();
    bytes = 0;
  }

  function increment({ offsets, counts }: Tally, position: number, outcome: number, by: number): void {
    const slot = (offsets[position] ?? 0) + outcome;
    counts[slot] = (counts[slot] ?? 0) + by;
  }

  return {
    addAll(projectId, ruleset, outcomes) {
      const { offsets, counts } = tallyOf(projectId, ruleset);
      for (let position = 0; position < outcomes.length; position++) {
        const slot = (offsets[position] ?? 0) + outcomes.charCodeAt(position);
        counts[slot] = (counts[slot] ?? 0) + 1;
      }
    },

    add(projectId, ruleset, decision) {
      const position = ruleset.compiled.positions.get(decision.key);
      const flag = ruleset.compiled.flags[position ?? -1];
      if (position === undefined || flag === undefined) return;
      increment(tallyOf(projectId, ruleset), position, outcomeOf(flag, decision), 1);
    },

    addReported(projectId, ruleset, { key, variation, count }) {
      const position = ruleset.compiled.positions.get(key);
      const flag = ruleset.compiled.flags[position ?? -1];
      if (position === undefined || flag === undefined) return false;
      const outcome = namesOf(flag).indexOf(variation);
      if (outcome < 0) return false;
      increment(tallyOf(projectId, ruleset), position, outcome, count);
      return true;
    },

    take() {
      settle();
      const taken = done;
      done = [];
      return taken;
    },
  };
}

/**
 * Returns the outcomes of flags, a character each: the place of the outcome among those of its flag. A string of
 * one-byte characters is smaller than an array.
 */
export function outcomesOf({ flags }: CompiledFlags, decisions: readonly Decision[]): string {
  const outcomes = Buffer.alloc(flags.length);
  for (let position = 0; position < flags.length; position++) {
    const flag = flags[position];
    const decision = decisions[position];
    if (flag !== undefined && decision !== undefined) outcomes[position] = outcomeOf(flag, decision);
  }
  return outcomes.toString('latin1');
}

function outcomeOf({ variations }: CompiledFlag, decision: Decision): number {
  if (decision.variant === null) return decision.reason === 'MATCH' ? ON : OFF;
  for (let index = 0; index < variations.length; index++)
    if (variations[index]?.decision === decision) return ON + index;
  return OFF;
}

function namesOf({ variations }: CompiledFlag): string[] {
  return ['off', ...(variations.length === 0 ? ['on'] : variations.map(({ key }) => key))];
}

function newTally(projectId: string, ruleset: Ruleset): Tally {
  const { flags } = ruleset.compiled;
  const offsets = new Uint32Array(flags.length);
  let slots = 0;
  for (const [position, { variations }] of flags.entries()) {
    offsets[position] = slots;
    slots += 1 + Math.max(1, variations.length);
  }
  return { projectId, ruleset, offsets, counts: new Float64Array(slots) };
}

function servedOf({ projectId, ruleset, offsets, counts }: Tally): Served[] {
  return ruleset.compiled.flags.flatMap((flag, position) =>
    namesOf(flag).flatMap((variation, outcome) => {
      const count = counts[(offsets[position] ?? 0) + outcome] ?? 0;
      return count === 0 ? [] : [{ projectId, key: flag.key, variation, count }];
    }),
  );
}
