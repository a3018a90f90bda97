import type { ClauseTest } from './clauses/clauses.ts';
import { sortByDependencies } from './dependencies.ts';
import { type FlagDefinition, type ParsedFlag, parseFlag } from './parse.ts';
import { type FlagHashes, flagHashes } from './rollout.ts';
import type { Decision, Flag, Reason, Variation } from './types.ts';

export interface CompiledVariation extends Variation {
  readonly decision: Decision;
}

export interface CompiledRule {
  /** The name of the rule, or its path in the flag. */
  readonly label: string;
  readonly targeting: readonly ClauseTest[];
  readonly rolloutPercentage: number;
  /** The variation to serve. Undefined means one by weight. */
  readonly variation: CompiledVariation | undefined;
}

export interface CompiledPrerequisite {
  /**
   * Position of the flag in the ruleset. -1 if it is missing or in a cycle, so that the prerequisite is never met.
   */
  readonly position: number;
  readonly served: string;
}

export interface CompiledFlag {
  readonly key: string;
  readonly disabled: boolean;
  readonly prerequisites: readonly CompiledPrerequisite[];
  readonly definition: FlagDefinition | undefined;
  readonly rules: readonly CompiledRule[];
  readonly variations: readonly CompiledVariation[];
  readonly hashes: FlagHashes;
  /** The value of the flag when it is off. */
  readonly offValue: false | null;
  /** Cached decisions without a variation, by reason. */
  readonly made: Record<Reason, Decision | undefined>;
}

/** Flags compiled for many evaluations. It has no observable mutable state. */
export interface Ruleset {
  /** The flags in stored order. */
  readonly flags: readonly CompiledFlag[];
  readonly positions: ReadonlyMap<string, number>;
  /** Positions in evaluation order: each after those of its prerequisites. */
  readonly order: readonly number[];
  /** Whether a flag has a clause about cohorts, so that evaluation needs memberships. */
  readonly usesCohorts: boolean;
}

/**
 * Compiles a ruleset, once per change. Accepts any snapshot: a malformed entry becomes a flag that is off with the
 * reason ERROR (DISABLED if `enabled` is false), an entry without a key is ignored, and of two entries with the same
 * key the later one wins.
 */
export function compileRuleset(flags: readonly Flag[]): Ruleset {
  const parsed: ParsedFlag[] = [];
  const positions = new Map<string, number>();
  for (const entry of flags) {
    const flag = parseFlag(entry);
    if (flag === undefined) continue;
    const position = positions.get(flag.key) ?? parsed.length;
    positions.set(flag.key, position);
    parsed[position] = flag;
  }
  const positionOf = (key: string) => positions.get(key) ?? -1;
  const { order, cyclic } = sortByDependencies(
    parsed.map(({ prerequisites }) =>
      prerequisites.map(({ flagKey }) => positionOf(flagKey)).filter((position) => position >= 0),
    ),
  );
  const compiled = parsed.map((flag) => {
    if (flag.prerequisites.length === 0) return compileFlag(flag, NONE);
    const prerequisites = flag.prerequisites.map(({ flagKey, variationKey }) => {
      const position = positionOf(flagKey);
      return { position: cyclic.has(position) ? -1 : position, served: variationKey };
    });
    return compileFlag(flag, prerequisites);
  });
  const usesCohorts = parsed.some(({ definition }) => definition?.usesCohorts === true);
  return { flags: compiled, positions, order, usesCohorts };
}

/** Shared, because most flags have no rules, variations or prerequisites. */
const NONE: readonly never[] = [];

function mapped<T, R>(list: readonly T[] | undefined, map: (element: T) => R): readonly R[] {
  return list === undefined || list.length === 0 ? NONE : list.map(map);
}

function compileFlag(flag: ParsedFlag, prerequisites: readonly CompiledPrerequisite[]): CompiledFlag {
  const { key, offValue, disabled, definition } = flag;
  const variations = mapped(definition?.variations, ({ key: name, value, weight }) => ({
    key: name,
    value,
    weight,
    decision: { key, value, variant: name, served: name, reason: 'MATCH' as const },
  }));
  return {
    key,
    disabled,
    prerequisites,
    definition,
    rules: mapped(definition?.rules, ({ label, targeting, rolloutPercentage, variation: wanted }) => ({
      label,
      targeting,
      rolloutPercentage,
      variation: wanted === undefined ? undefined : variations.find(({ key }) => key === wanted),
    })),
    variations,
    hashes: flagHashes(key),
    offValue,
    // All properties are present from the start, which takes less memory than adding them later.
    made: {
      DISABLED: undefined,
      PREREQUISITE_FAILED: undefined,
      TARGETING_MISS: undefined,
      ROLLOUT_MISS: undefined,
      ERROR: undefined,
      MATCH: undefined,
    },
  };
}

/**
 * Returns the decision of a flag that serves no variation. Creates it on first use, because most flags need one or
 * two.
 */
export function plainDecision(flag: CompiledFlag, reason: Reason): Decision {
  const { key, offValue, made } = flag;
  const isOn = reason === 'MATCH';
  made[reason] ??= { key, value: isOn || offValue, variant: null, served: isOn ? 'on' : 'off', reason };
  return made[reason];
}
