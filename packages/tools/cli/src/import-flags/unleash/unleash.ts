import type { Clause, FlagEntry, FlagRule, Prerequisite } from '@switchboard/contracts';
import {
  type Conversion,
  convertAll,
  type Draft,
  Inexpressible,
  RE_BUCKETED,
} from '../conversion/conversion.ts';
import { environmentOf, type ImportOptions, readJsonFile } from '../conversion/read.ts';
import { attributeOf, clausesOf, segmentClauses } from './constraints.ts';
import {
  type Dependency,
  type Segment,
  type Strategy,
  type UnleashExport,
  unleashExport,
  unleashSegments,
} from './export.ts';
import { type Chosen, chosenOf, type UnleashFlag } from './variants.ts';

/**
 * Converts an export of Unleash. Gradual rollouts keep their buckets, because both products hash ids in the same way.
 * Throws UsageError.
 */
export function fromUnleash({ source, place, environment, segments }: ImportOptions): Conversion {
  const exported = readJsonFile(source, place, unleashExport);
  const given = segments && readJsonFile(segments.source, segments.place, unleashSegments).segments;
  const flags = flagsOf(exported, environment);
  const context = {
    flags: new Map(flags.map((flag) => [flag.name, flag])),
    segments: new Map((given ?? exported.segments ?? []).map((one) => [String(one.id), one])),
  };
  return convertAll(
    flags.map((flag) => ({ key: flag.name, convert: (draft) => convert(flag, draft, context) })),
  );
}

interface Context {
  flags: ReadonlyMap<string, UnleashFlag>;
  segments: ReadonlyMap<string, Segment>;
}

/** Returns the flags in the state of one environment. */
function flagsOf(exported: UnleashExport, given: string | undefined): UnleashFlag[] {
  const { features, featureStrategies, featureEnvironments, featureStrategySegments, dependencies } =
    exported;
  const states = featureEnvironments ?? [];
  const environment = environmentOf(
    given,
    states.flatMap((one) => one.environment ?? []),
  );
  const isHere = (one: { environment?: string | null | undefined }) =>
    one.environment == null || one.environment === environment;
  const stateByName = new Map(states.filter(isHere).map((one) => [one.featureName, one]));
  const strategies = Map.groupBy((featureStrategies ?? []).filter(isHere), (one) => one.featureName ?? '');
  const needed = new Map((dependencies ?? []).map((one) => [one.feature, one.dependencies]));
  const linked = Map.groupBy(featureStrategySegments ?? [], (one) => one.featureStrategyId);
  const withSegments = (strategy: Strategy): Strategy => {
    const ids = (linked.get(strategy.id ?? '') ?? []).map(({ segmentId }) => segmentId);
    return ids.length === 0 ? strategy : { ...strategy, segments: ids };
  };
  return features.map((feature): UnleashFlag => {
    const state = stateByName.get(feature.name);
    const own = strategies.get(feature.name) ?? feature.strategies ?? [];
    // A flag without strategies is on for everyone.
    const all: readonly Strategy[] = own.length === 0 ? [{ name: 'default' }] : own;
    return {
      name: feature.name,
      description: feature.description ?? '',
      type: feature.type ?? '',
      archived: feature.archived ?? false,
      enabled: states.length > 0 ? state?.enabled : (feature.enabled ?? undefined),
      strategies: all
        .map(withSegments)
        .toSorted((one, other) => (one.sortOrder ?? 0) - (other.sortOrder ?? 0)),
      variants: state?.variants?.length ? state.variants : (feature.variants ?? []),
      dependencies: needed.get(feature.name) ?? [],
    };
  });
}

function convert(flag: UnleashFlag, draft: Draft, context: Context): Omit<FlagEntry, 'key'> {
  const { archived, description, enabled } = flag;
  if (archived) throw new Inexpressible('archived');
  if (enabled === undefined) throw new Inexpressible('not in this environment');
  const { variations, type, chosen } = chosenOf(flag, draft);
  const rules = activeStrategies(flag).flatMap((strategy, index) =>
    rulesOf(strategy, { flag, draft, context, chosen: chosen[index] ?? {} }),
  );
  const last = rules.at(-1);
  // Any rule is enough, and the flag's own targeting and rollout decide after its rules.
  const isOwn = last !== undefined && last.variation === undefined;
  const prerequisites = flag.dependencies.map((one) => prerequisiteOf(one, context));
  return {
    enabled,
    ...(description.trim() !== '' && { description: description.slice(0, MAX_DESCRIPTION) }),
    type,
    ...(INTENTS[flag.type] && { intent: INTENTS[flag.type] }),
    ...(rules.length > (isOwn ? 1 : 0) && { rules: isOwn ? rules.slice(0, -1) : rules }),
    ...(isOwn && last.targeting.length > 0 && { targeting: last.targeting }),
    rolloutPercentage: isOwn ? (last.rolloutPercentage ?? 100) : 0,
    ...(variations.length > 0 && { variations }),
    ...(prerequisites.length > 0 && { prerequisites }),
  };
}

const MAX_DESCRIPTION = 1_000;

const INTENTS: Readonly<Record<string, FlagEntry['intent']>> = {
  release: 'release',
  experiment: 'experiment',
  operational: 'operational',
  'kill-switch': 'kill_switch',
  permission: 'permission',
};

function activeStrategies({ strategies, enabled }: UnleashFlag): readonly Strategy[] {
  const active = strategies.filter(({ disabled }) => disabled !== true);
  if (enabled === true && active.length === 0)
    throw new Inexpressible('all of its strategies are disabled; remove them or switch it off');
  return active;
}

/** Returns the rules for a strategy: one for each override of a variant, and one for everyone else. */
function rulesOf(
  strategy: Strategy,
  { flag, draft, context, chosen }: { flag: UnleashFlag; draft: Draft; context: Context; chosen: Chosen },
): FlagRule[] {
  const { own, share } = rolloutOf(strategy, flag, draft);
  if (share === 0) return [];
  const targeting = [
    ...own,
    ...(strategy.constraints ?? []).flatMap((constraint) => clausesOf(constraint, draft)),
    ...(strategy.segments ?? []).flatMap((id) => {
      const segment = context.segments.get(String(id));
      if (segment?.constraints == null)
        throw new Inexpressible(`segment ${segment?.name ?? id}; give the segments with --segments`);
      return segmentClauses(segment, draft);
    }),
  ];
  const rollout = share === 100 ? {} : { rolloutPercentage: share };
  return [
    ...(chosen.overrides ?? []).map(({ variation, contextName, values }) => ({
      targeting: [
        ...targeting,
        { attribute: attributeOf(contextName, draft), op: 'in' as const, value: values },
      ],
      ...rollout,
      variation,
    })),
    { targeting, ...rollout, ...(chosen.variation !== undefined && { variation: chosen.variation }) },
  ];
}

/** Returns the clauses of the strategy itself, and its percentage. */
function rolloutOf(strategy: Strategy, flag: UnleashFlag, draft: Draft): { own: Clause[]; share: number } {
  const parameters = strategy.parameters ?? {};
  const listed = (name: string) =>
    String(parameters[name] ?? '')
      .split(/\s*,\s*/)
      .filter((one) => one !== '');
  const gradual = (percentage: unknown, stickiness: string) => {
    const share = Number(percentage ?? 0);
    if (!Number.isInteger(share) || share < 0 || share > 100)
      throw new Inexpressible(`a rollout of ${percentage} percent`);
    const groupId = String(parameters['groupId'] || flag.name);
    if (share > 0 && share < 100) warnOfBuckets({ stickiness, groupId }, flag, draft);
    // Unleash excludes people without the field, even at 100 percent.
    if (share > 0 && !['default', 'random'].includes(stickiness))
      draft.warn(`its rollout now includes people without ${stickiness}`);
    return { own: [], share };
  };
  switch (strategy.name) {
    case 'default':
      return { own: [], share: 100 };
    case 'userWithId':
      return { own: [{ attribute: 'distinct_id', op: 'in', value: listed('userIds') }], share: 100 };
    case 'remoteAddress': {
      const addresses = listed('IPs');
      if (addresses.some((one) => one.includes('/'))) throw new Inexpressible('a range of addresses');
      return {
        own: [{ attribute: attributeOf('remoteAddress', draft), op: 'in', value: addresses }],
        share: 100,
      };
    }
    case 'flexibleRollout':
      return gradual(parameters['rollout'], String(parameters['stickiness'] || 'default'));
    case 'gradualRolloutUserId':
      return gradual(parameters['percentage'], 'userId');
    case 'gradualRolloutSessionId':
      return gradual(parameters['percentage'], 'sessionId');
    case 'gradualRolloutRandom':
      return gradual(parameters['percentage'], 'random');
    default:
      throw new Inexpressible(`the strategy ${strategy.name}`);
  }
}

/** Warns if people get into other buckets than in Unleash. */
export function warnOfBuckets(
  { stickiness, groupId }: { stickiness: string; groupId: string },
  { name }: UnleashFlag,
  draft: Draft,
): void {
  if (groupId !== name || !['default', 'userId'].includes(stickiness)) draft.warn(RE_BUCKETED);
}

function prerequisiteOf({ feature, enabled, variants }: Dependency, { flags }: Context): Prerequisite {
  const parent = flags.get(feature);
  if (parent === undefined) throw new Inexpressible(`requires ${feature}, which is not in the file`);
  if (parent.dependencies.length > 0)
    throw new Inexpressible(`requires ${feature}, which requires another flag`);
  if (enabled === false) return { flagKey: feature, variationKey: 'off' };
  const names = variationsOf(parent);
  const wanted = names.filter((name) => !variants?.length || variants.includes(name));
  const [first] = wanted;
  if (names.length === 0 && (!variants?.length || variants.includes('disabled')))
    return { flagKey: feature, variationKey: 'on' };
  if (first === undefined || wanted.length > 1)
    throw new Inexpressible(`requires ${feature} with one of several variants, or with none of its own`);
  return { flagKey: feature, variationKey: first };
}

const SILENT: Draft = { warn: () => undefined, addCohort: () => undefined };

const variationsOf = (flag: UnleashFlag): string[] => chosenOf(flag, SILENT).variations.map(({ key }) => key);
