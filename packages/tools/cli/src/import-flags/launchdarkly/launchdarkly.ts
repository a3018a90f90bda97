import type { FlagEntry, FlagRule, Prerequisite, Variation } from '@switchboard/contracts';
import {
  type Conversion,
  convertAll,
  type Draft,
  hashOf,
  Inexpressible,
  listedPeople,
  RE_BUCKETED,
  typeOf,
} from '../conversion/conversion.ts';
import { environmentOf, type ImportOptions, readPages, requireAll } from '../conversion/read.ts';
import { clausesOf, type Segments } from './clauses.ts';
import {
  type Environment,
  type LaunchDarklyFlag,
  launchDarklyDump,
  launchDarklySegments,
  type Served,
  type Target,
} from './dump.ts';

/** Converts a dump of LaunchDarkly's REST API. Percentages get other people. Throws UsageError. */
export function fromLaunchDarkly({ source, place, environment, segments }: ImportOptions): Conversion {
  const items = allOf(readPages(source, place, launchDarklyDump), place);
  const listed =
    segments && allOf(readPages(segments.source, segments.place, launchDarklySegments), segments.place);
  const name = environmentOf(
    environment,
    items.flatMap((one) => Object.keys(one.environments)),
  );
  const context: Context = {
    states: new Map(items.flatMap((flag) => stateOf(flag, name) ?? [])),
    segments: new Map((listed ?? []).map((one) => [one.key, one])),
  };
  return convertAll(
    items.map((flag) => ({ key: flag.key, convert: (draft) => convert(flag, draft, context) })),
  );
}

interface Page<T> {
  items: T[];
  totalCount?: number | null | undefined;
}

function allOf<T>(pages: readonly Page<T>[], place: string): T[] {
  const items = pages.flatMap((page) => page.items);
  requireAll(place, items.length, pages[0]?.totalCount);
  return items;
}

interface State {
  flag: LaunchDarklyFlag;
  here: Environment;
}

interface Context {
  /** The flags of the environment. */
  states: ReadonlyMap<string, State>;
  segments: Segments;
}

function stateOf(flag: LaunchDarklyFlag, name: string | undefined): [[string, State]] | undefined {
  const here = flag.environments[name ?? ''];
  return here && [[flag.key, { flag, here }]];
}

function convert(flag: LaunchDarklyFlag, draft: Draft, context: Context): Omit<FlagEntry, 'key'> {
  const state = context.states.get(flag.key);
  if (flag.archived || state?.here.archived) throw new Inexpressible('archived');
  if (state === undefined) throw new Inexpressible('not in this environment');
  const prerequisites = (state.here.prerequisites ?? []).map((one) => prerequisiteOf(one, context));
  if (prerequisites.length > 0 && !isOffEqual(state))
    throw new Inexpressible('serves a variation when a prerequisite fails');
  return {
    enabled: state.here.on || !isOffEqual(state),
    ...(flag.description?.trim() && { description: flag.description.slice(0, MAX_DESCRIPTION) }),
    ...(flag.temporary && { intent: 'release' as const }),
    ...(isPlain(state) ? plainFlag(state, draft, context) : variedFlag(state, draft, context)),
    ...(prerequisites.length > 0 && { prerequisites }),
  };
}

const MAX_DESCRIPTION = 1_000;

/** Returns whether a flag that is off has the same value here: false, or the default of the code. */
function isOffEqual({ flag, here }: State): boolean {
  if (here.offVariation == null) return !isBoolean(flag);
  return isBoolean(flag) && flag.variations[here.offVariation]?.value === false;
}

const isBoolean = ({ variations }: LaunchDarklyFlag) =>
  variations.every(({ value }) => typeof value === 'boolean');

/** Returns whether a flag is only turned on by its targets and rules, so that it needs no variations. */
function isPlain(state: State): boolean {
  const { flag, here } = state;
  const isOn = ({ variation }: { variation?: number | null | undefined }) =>
    flag.variations[variation ?? -1]?.value === true;
  return (
    isBoolean(flag) &&
    isOffEqual(state) &&
    targetsOf(here).every(isOn) &&
    (here.rules ?? []).every(isOn) &&
    percentageOn(state) !== undefined
  );
}

/** Returns the percentage of people who get true by default, if it is a whole one. */
function percentageOn({ flag, here }: State): number | undefined {
  const shares = sharesOf(here.fallthrough ?? {}, flag);
  const total = shares.reduce((sum, { weight }) => sum + weight, 0);
  const on = shares.filter(({ index }) => flag.variations[index]?.value === true);
  const percentage = (on.reduce((sum, { weight }) => sum + weight, 0) * 100) / total;
  return Number.isInteger(percentage) ? percentage : undefined;
}

function plainFlag(state: State, draft: Draft, context: Context) {
  const rolloutPercentage = percentageOn(state) ?? 0;
  if (rolloutPercentage > 0 && rolloutPercentage < 100) warnOfBuckets(state.here.fallthrough ?? {}, draft);
  const rules = rulesOf(state, draft, context).map(({ targeting }) => ({ targeting }));
  return { type: 'boolean' as const, ...(rules.length > 0 && { rules }), rolloutPercentage };
}

function variedFlag(state: State, draft: Draft, context: Context) {
  const { flag, here } = state;
  const keys = variationKeys(flag);
  const shares = sharesOf(here.fallthrough ?? {}, flag);
  warnOfBuckets(here.fallthrough ?? {}, draft);
  const variations = flag.variations.map(
    ({ value }, index): Variation => ({
      key: keys[index] ?? '',
      value,
      weight: shares.filter((one) => one.index === index).reduce((sum, { weight }) => sum + weight, 0),
    }),
  );
  const off = keys[here.offVariation ?? -1];
  const rules = rulesOf(state, draft, context);
  if (!here.on && !isOffEqual(state)) {
    if (off === undefined) throw new Inexpressible('off, with the default of the code');
    draft.warn(`it is off: everyone gets ${off} by the first rule, until you remove the rule`);
    rules.unshift({ name: 'Off', targeting: [], variation: off });
  }
  return {
    type: typeOf(flag.variations.map(({ value }) => value)),
    ...(rules.length > 0 && { rules }),
    rolloutPercentage: 100,
    variations,
  };
}

function targetsOf({ targets, contextTargets }: Environment): Target[] {
  return [...(targets ?? []), ...(contextTargets ?? [])].filter(({ values }) => values.length > 0);
}

/** Returns the rules for targets and rules, each with the variation that it serves. */
function rulesOf({ flag, here }: State, draft: Draft, { segments }: Context): FlagRule[] {
  const keys = variationKeys(flag);
  const targeted = targetsOf(here).map(({ values, variation, contextKind }): FlagRule => {
    if (contextKind != null && contextKind !== 'user')
      throw new Inexpressible(`targets of the context kind ${contextKind}`);
    const ofList = {
      id: `launchdarkly-targets-${hashOf([flag.key, variation])}`,
      name: `Targets of ${flag.key}`.slice(0, MAX_NAME),
    };
    return { targeting: [listedPeople(values, { draft, ofList })], variation: keys[variation] };
  });
  const ruled = (here.rules ?? []).flatMap((rule): FlagRule[] => {
    const targeting = rule.clauses.flatMap((one) => clausesOf(one, draft, segments));
    const shares = sharesOf(rule, flag);
    if (shares.length === 1) return shares.map(({ index }) => ({ targeting, variation: keys[index] }));
    warnOfBuckets(rule, draft);
    const total = shares.reduce((sum, { weight }) => sum + weight, 0);
    let reached = 0;
    // All rollouts of a flag use one hash, so each rule adds the people between its percentage and the previous one.
    return shares.map(({ index, weight }) => {
      reached += weight;
      const rolloutPercentage = (reached * 100) / total;
      if (!Number.isInteger(rolloutPercentage)) throw new Inexpressible('fractions of a percent in a rule');
      return { targeting, ...(rolloutPercentage < 100 && { rolloutPercentage }), variation: keys[index] };
    });
  });
  return [...targeted, ...ruled];
}

const MAX_NAME = 200;

/** Returns the variations that are served and their weights. Throws Inexpressible. */
function sharesOf(
  { variation, rollout }: Served,
  flag: LaunchDarklyFlag,
): { index: number; weight: number }[] {
  const shares =
    variation == null
      ? (rollout?.variations ?? []).map((one) => ({ index: one.variation, weight: one.weight }))
      : [{ index: variation, weight: 1 }];
  const served = shares.filter(({ weight }) => weight > 0);
  if (served.length === 0 || served.some(({ index }) => flag.variations[index] === undefined))
    throw new Inexpressible('a rule without a variation');
  return served;
}

function warnOfBuckets({ variation, rollout }: Served, draft: Draft): void {
  if (variation != null || (rollout?.variations ?? []).filter(({ weight }) => weight > 0).length < 2) return;
  const by = rollout?.bucketBy && rollout.bucketBy !== 'key' ? rollout.bucketBy : undefined;
  const kind = rollout?.contextKind && rollout.contextKind !== 'user' ? rollout.contextKind : undefined;
  draft.warn(by || kind ? `${RE_BUCKETED}, and divide people instead of ${by ?? kind}` : RE_BUCKETED);
}

/** Returns a key for each variation: its name, or its value. */
function variationKeys({ variations }: LaunchDarklyFlag): string[] {
  const names = variations.map(({ name, value }) => {
    const text = name?.trim() || (typeof value === 'object' ? '' : String(value));
    return text.length > MAX_NAME ? '' : text;
  });
  return names.map((name, index) =>
    name === '' || names.indexOf(name) !== names.lastIndexOf(name) ? `variation-${index + 1}` : name,
  );
}

function prerequisiteOf(
  { key, variation }: { key: string; variation: number },
  { states }: Context,
): Prerequisite {
  const required = states.get(key);
  if (required === undefined) throw new Inexpressible(`requires ${key}, which is not in the file`);
  if (!isPlain(required)) {
    if (!required.here.on && !isOffEqual(required)) throw new Inexpressible(`requires ${key}, which is off`);
    return { flagKey: key, variationKey: variationKeys(required.flag)[variation] ?? '' };
  }
  const isOn = required.flag.variations[variation]?.value === true;
  if (!isOn && !required.here.on) throw new Inexpressible(`requires false of ${key}, which is off`);
  return { flagKey: key, variationKey: isOn ? 'on' : 'off' };
}
