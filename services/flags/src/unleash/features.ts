import type { FlagEntry } from '@switchboard/contracts';
import type { Clause } from '@switchboard/flag-engine';
import { type Constraint, constraintsOf, Unsayable } from './constraints.ts';

interface Payload {
  type: 'string' | 'number' | 'json';
  value: string;
}

interface UnleashVariant {
  name: string;
  weight: number;
  weightType: 'variable';
  stickiness: 'userId';
  payload: Payload;
}

interface Strategy {
  name: 'default' | 'flexibleRollout';
  parameters: Readonly<Record<string, string>>;
  constraints: readonly Constraint[];
  /** The variants of people whom the strategy accepts, in place of those of the feature. */
  variants?: readonly UnleashVariant[];
}

interface Dependency {
  feature: string;
  enabled: boolean;
  variants?: readonly string[];
}

/** A flag in the language of Unleash. */
export interface Feature {
  name: string;
  type: string;
  description: string | null;
  enabled: boolean;
  stale: boolean;
  impressionData: boolean;
  strategies: readonly Strategy[];
  variants: readonly UnleashVariant[];
  dependencies?: readonly Dependency[];
}

/** A flag that Unleash's language cannot say, and why. */
export interface Omitted {
  key: string;
  reason: string;
}

/**
 * Returns the flags as Unleash's SDKs evaluate them. They hash ids as we do, so every person gets the same answer. A
 * flag that their language cannot say is omitted: a wrong answer would be worse.
 */
export function featuresOf(flags: readonly FlagEntry[]): { features: Feature[]; omitted: Omitted[] } {
  const byKey = new Map(flags.map((flag) => [flag.key, flag]));
  const required = new Set(
    flags.flatMap(({ prerequisites = [] }) =>
      prerequisites.filter(({ variationKey }) => variationKey !== 'off').map(({ flagKey }) => flagKey),
    ),
  );
  const omitted = new Map<string, string>();
  const features = new Map<string, Feature>();
  for (const flag of flags) {
    try {
      features.set(flag.key, featureOf(flag, byKey, required.has(flag.key)));
    } catch (error) {
      if (!(error instanceof Unsayable)) throw error;
      omitted.set(flag.key, error.message);
    }
  }
  // A flag may only require flags without requirements, so one pass finds those that require an omitted one.
  for (const { name, dependencies = [] } of features.values()) {
    const missing = dependencies.find(({ feature }) => omitted.has(feature));
    if (missing !== undefined) omitted.set(name, `requires ${missing.feature}, which is omitted`);
  }
  return {
    features: [...features.values()].filter(({ name }) => !omitted.has(name)),
    omitted: Array.from(omitted, ([key, reason]) => ({ key, reason })),
  };
}

const ASCII = /^[\x20-\x7e]*$/;

function featureOf(flag: FlagEntry, byKey: ReadonlyMap<string, FlagEntry>, isRequired: boolean): Feature {
  const { key, enabled, description = null, rules = [], targeting = [], rolloutPercentage } = flag;
  const variants = variantsOf(flag);
  // The SDK for Go compares the variant that another flag requires with those of strategies only.
  const ofStrategies = isRequired ? variants : [];
  const strategies = [
    ...rules.flatMap(({ targeting: clauses, rolloutPercentage: share = 100, variation }) =>
      strategiesOf(
        key,
        clauses,
        share,
        variation === undefined ? ofStrategies : only(variants.filter(({ name }) => name === variation)),
      ),
    ),
    ...strategiesOf(key, targeting ?? [], rolloutPercentage, ofStrategies),
  ];
  const isHashed = variants.length > 1 || strategies.some(({ name }) => name === 'flexibleRollout');
  // The SDK for Node.js hashes the low byte of each UTF-16 code unit instead of UTF-8.
  if (isHashed && !ASCII.test(key)) throw new Unsayable('a key that is not ASCII, in a rollout');
  const dependencies = dependenciesOf(flag, byKey);
  return {
    name: key,
    type: 'release',
    description,
    // A feature without strategies is on for everyone.
    enabled: enabled && strategies.length > 0,
    stale: false,
    impressionData: false,
    strategies,
    variants,
    ...(dependencies.length > 0 && { dependencies }),
  };
}

function strategiesOf(
  key: string,
  clauses: readonly Clause[],
  percentage: number,
  variants: readonly UnleashVariant[],
): Strategy[] {
  if (percentage === 0) return [];
  const rollout = { rollout: String(percentage), stickiness: 'userId', groupId: key };
  return [
    {
      // A rollout excludes people without an id; at 100, we do not.
      name: percentage === 100 ? 'default' : 'flexibleRollout',
      parameters: percentage === 100 ? { groupId: key } : rollout,
      constraints: clauses.flatMap(constraintsOf),
      ...(variants.length > 0 && { variants }),
    },
  ];
}

const only = (variants: readonly UnleashVariant[]) => variants.map((one) => ({ ...one, weight: 1000 }));

function variantsOf({ variations = [] }: FlagEntry): UnleashVariant[] {
  return variations.map(({ key, value, weight }) => ({
    name: key,
    weight,
    weightType: 'variable',
    stickiness: 'userId',
    payload: payloadOf(value),
  }));
}

/** Unleash has no booleans among its payloads, so they are JSON. */
export function payloadOf(value: unknown): Payload {
  if (typeof value === 'string') return { type: 'string', value };
  return { type: typeof value === 'number' ? 'number' : 'json', value: JSON.stringify(value ?? null) };
}

function dependenciesOf(
  { prerequisites = [] }: FlagEntry,
  byKey: ReadonlyMap<string, FlagEntry>,
): Dependency[] {
  return prerequisites.map(({ flagKey, variationKey }) => {
    const required = byKey.get(flagKey);
    if (required === undefined) throw new Unsayable(`requires ${flagKey}, which does not exist`);
    if ((required.prerequisites ?? []).length > 0)
      throw new Unsayable(`requires ${flagKey}, which requires another flag`);
    if (variationKey === 'off') return { feature: flagKey, enabled: false };
    const hasVariations = (required.variations ?? []).length > 0;
    if (hasVariations !== (variationKey !== 'on'))
      throw new Unsayable(`requires ${variationKey} of ${flagKey}, which it never serves`);
    return { feature: flagKey, enabled: true, ...(hasVariations && { variants: [variationKey] }) };
  });
}
