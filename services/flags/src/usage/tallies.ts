import type { Decision } from '@switchboard/flag-engine';
import { z } from 'zod';
import { namesOf, outcomeNames, outcomeOf } from '../rulesets/outcomes.ts';
import type { Ruleset } from '../rulesets/ruleset.ts';

/** How often a flag served a variation. */
export interface Served {
  projectId: string;
  key: string;
  /** The key of a variation, `on` or `off`. */
  variation: string;
  count: number;
}

/** The counts of a project's flags, without the ruleset, because there may be thousands of projects. */
export interface Tally {
  readonly projectId: string;
  /** The time of the last change of the ruleset. Tallies with the same one have the same flags. */
  readonly changedAt: string;
  /** JSON of each flag: its key, then the keys of its variations. */
  readonly names: string;
  /** See `offsetsOf`. */
  readonly offsets: Uint32Array;
  readonly counts: Float64Array;
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
  take(): Tally[];
}

interface TalliesOptions {
  /** The maximum memory of the counts, in bytes. */
  maxBytes: number;
  /** Called with the number of evaluations that are not counted because that memory is full. */
  onLost(count: number): void;
}

/** The memory of a tally besides its names and numbers. Measured with Node 24. */
const TALLY_BYTES = 600;

/**
 * Counts evaluations by project and position, so that a request increments numbers and looks up no names.
 */
export function createTallies({ maxBytes, onLost }: TalliesOptions): Tallies {
  const current = new Map<string, Tally>();
  let replaced: Tally[] = [];
  let bytes = 0;

  /** Returns undefined if the memory is full. */
  function tallyOf(projectId: string, ruleset: Ruleset): Tally | undefined {
    const known = current.get(projectId);
    if (known?.changedAt === ruleset.changedAt) return known;
    if (bytes >= maxBytes) return undefined;
    if (known !== undefined) replaced.push(known);
    const tally = newTally(projectId, ruleset);
    bytes += bytesOf(tally);
    current.set(projectId, tally);
    return tally;
  }

  function increment(tally: Tally | undefined, position: number, outcome: number, by: number): void {
    if (tally === undefined) {
      onLost(by);
      return;
    }
    const slot = (tally.offsets[position] ?? 0) + outcome;
    tally.counts[slot] = (tally.counts[slot] ?? 0) + by;
  }

  return {
    addAll(projectId, ruleset, outcomes) {
      const tally = tallyOf(projectId, ruleset);
      if (tally === undefined) {
        onLost(outcomes.length);
        return;
      }
      const { offsets, counts } = tally;
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
      const taken = [...replaced, ...current.values()];
      replaced = [];
      current.clear();
      bytes = 0;
      return taken;
    },
  };
}

/** Adds the counts of a tally of the same project and ruleset. */
export function addTally({ counts }: Tally, other: Tally): void {
  for (const [slot, count] of other.counts.entries()) counts[slot] = (counts[slot] ?? 0) + count;
}

/** Returns the estimated memory of a tally. */
export const bytesOf = ({ names, offsets, counts }: Tally): number =>
  TALLY_BYTES + names.length + offsets.byteLength + counts.byteLength;

/** Returns the number of counted evaluations. */
export const totalOf = ({ counts }: Tally): number => counts.reduce((sum, count) => sum + count, 0);

/** Returns the counts by name. */
export function servedOf({ projectId, names, offsets, counts }: Tally): Served[] {
  const flags = z.array(z.tuple([z.string()], z.string())).parse(JSON.parse(names));
  return flags.flatMap(([key, ...variations], position) =>
    outcomeNames(variations).flatMap((variation, outcome) => {
      const count = counts[(offsets[position] ?? 0) + outcome] ?? 0;
      return count === 0 ? [] : [{ projectId, key, variation, count }];
    }),
  );
}

function newTally(projectId: string, { changedAt, compiled: { flags } }: Ruleset): Tally {
  const offsets = new Uint32Array(flags.length);
  let slots = 0;
  for (const [position, { variations }] of flags.entries()) {
    offsets[position] = slots;
    slots += 1 + Math.max(1, variations.length);
  }
  const names = JSON.stringify(
    flags.map(({ key, variations }) => [key, ...variations.map(({ key }) => key)]),
  );
  return { projectId, changedAt, names, offsets, counts: new Float64Array(slots) };
}
