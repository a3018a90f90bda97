import type { FlagEntry } from '@switchboard/contracts';
import {
  type CompiledCohorts,
  type Ruleset as CompiledFlags,
  compileCohorts,
  compileRuleset,
} from '@switchboard/flag-engine';
import { offsetsOf } from './outcomes.ts';
import type { RulesetDocument, RulesetText } from './store.ts';

/** The members of an answer for one outcome of a flag, with leading commas. */
export interface Fragment {
  flag: string;
  /** Empty if the outcome is no variation. */
  variant: string;
}

/** A text in memory. */
export interface CachedText extends RulesetText {
  /** How often it was compiled without keeping the result. */
  compilations: number;
  /** The memory of data derived from it, besides the compiled ruleset. */
  derivedBytes: number;
}

/** A project's flags and cohorts, compiled for evaluation. Immutable. */
export interface Ruleset {
  /** The time of the last change (RFC 3339, UTC, milliseconds). */
  readonly changedAt: string;
  readonly compiled: CompiledFlags;
  /** See `offsetsOf`. */
  readonly offsets: Uint32Array;
  /** JSON of outcomes that were served, at their places. */
  readonly fragments: (Fragment | undefined)[];
  /** Excludes the people that cohorts list, because they are read with the user state. */
  readonly cohorts: CompiledCohorts;
  /** The estimated memory in bytes, without the text. */
  readonly bytes: number;
}

// Measured with Node 24 for rulesets of several shapes, after each flag had produced all its decisions.
const RULESET_BYTES = 1000;
const FLAG_BYTES = 700;
const RULE_BYTES = 400;
const CLAUSE_BYTES = 550;
/** The memory of each value in a clause with a list of values. */
const VALUE_BYTES = 45;
/** Includes the values of variations and the fragments of answers. */
const BYTES_PER_JSON_BYTE = 3;

export function compile({ changedAt, json }: RulesetText): Ruleset {
  const { flags, cohorts } = parse(json);
  const compiled = compileRuleset(flags);
  const offsets = offsetsOf(compiled);
  return {
    changedAt,
    compiled,
    offsets,
    fragments: new Array(offsets.at(-1) ?? 0),
    cohorts: compileCohorts(
      cohorts.map(({ id, match, did }) => ({ id, match: match ?? [], did: did ?? undefined })),
    ),
    bytes: estimateBytes(flags, cohorts, json.length),
  };
}

/** Returns the flags of a ruleset as they are stored, sorted by key. */
export const storedFlags = ({ json }: RulesetText): FlagEntry[] => parse(json).flags;

function parse(json: string): RulesetDocument {
  return JSON.parse(json);
}

function estimateBytes(
  flags: RulesetDocument['flags'],
  cohorts: RulesetDocument['cohorts'],
  jsonLength: number,
): number {
  const rules = flags.flatMap((flag) => flag.rules ?? []);
  let bytes = RULESET_BYTES + FLAG_BYTES * flags.length + RULE_BYTES * rules.length;
  const clauses = [...flags, ...rules].map(({ targeting }) => targeting);
  for (const { value } of [...clauses, ...cohorts.map(({ match }) => match)].flatMap((some) => some ?? [])) {
    bytes += CLAUSE_BYTES + (Array.isArray(value) ? VALUE_BYTES * value.length : 0);
  }
  return bytes + BYTES_PER_JSON_BYTE * jsonLength;
}

const WIDE = /[\u0100-\uffff]/;

/** Returns the size of a string: V8 stores two bytes per character if any character needs two. */
export const bytesOf = (text: string) => (WIDE.test(text) ? 2 * text.length : text.length);
