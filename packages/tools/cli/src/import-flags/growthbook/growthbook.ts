import type { FlagEntry, FlagRule, Prerequisite, Variation } from '@switchboard/contracts';
import {
  type Conversion,
  convertAll,
  type Draft,
  Inexpressible,
  RE_BUCKETED,
  typeOf,
} from '../conversion/conversion.ts';
import { environmentOf, type ImportOptions, readPages, requireAll } from '../conversion/read.ts';
import { alternativesOf, type Groups } from './conditions.ts';
import {
  type Definition,
  definition,
  type FeaturesPage,
  growthBookFeatures,
  growthBookGroups,
  type ManagedFeature,
  type ManagedPage,
  type ManagedRule,
  type Rule,
} from './features.ts';

/** Converts features of GrowthBook. Percentages get other people. Throws UsageError. */
export function fromGrowthBook({ source, place, environment, segments }: ImportOptions): Conversion {
  const pages = readPages(source, place, growthBookFeatures);
  const groups: Groups = new Map([
    ...pages
      .flatMap((page) => Object.entries(('savedGroups' in page && page.savedGroups) || {}))
      .map(([id, values]) => [id, { name: id, values: values.map(String) }] as const),
    ...(segments === undefined ? [] : groupsIn(segments)),
  ]);
  const managed = pages.flatMap((page) => (isManaged(page) ? page.features : []));
  requireAll(place, managed.length, pages.find(isManaged)?.total);
  const features = [
    ...managedFeatures(managed, environment),
    ...pages
      .flatMap((page) => (isManaged(page) ? [] : Object.entries(page.features)))
      .map(([key, one]): Feature => ({ key, enabled: true, read: () => one })),
  ];
  const context = { features: new Map(features.map((one) => [one.key, one])), groups };
  return convertAll(
    features.map((one) => ({ key: one.key, convert: (draft) => convert(one, draft, context) })),
  );
}

const isManaged = (page: FeaturesPage): page is ManagedPage => Array.isArray(page.features);

function groupsIn({ source, place }: { source: string; place: string }) {
  const pages = readPages(source, place, growthBookGroups);
  const all = pages.flatMap((page) => page.savedGroups);
  requireAll(place, all.length, pages[0]?.total);
  // A group with a condition has no list.
  return all.flatMap(({ id, name, values }) => (values == null ? [] : [[id, { name, values }] as const]));
}

interface Feature {
  key: string;
  enabled: boolean;
  description?: string;
  /** Throws Inexpressible. */
  read(): Definition;
}

interface Context {
  features: ReadonlyMap<string, Feature>;
  groups: Groups;
}

function managedFeatures(features: readonly ManagedFeature[], given: string | undefined): Feature[] {
  const environment = environmentOf(
    given,
    features.flatMap((one) => Object.keys(one.environments)),
  );
  return features.map((feature): Feature => {
    const here = feature.environments[environment ?? ''];
    return {
      key: feature.id,
      enabled: here?.enabled ?? false,
      description: feature.description ?? '',
      read() {
        if (feature.archived) throw new Inexpressible('archived');
        if (here === undefined) throw new Inexpressible('not in this environment');
        if (here.definition) return definitionIn(here.definition);
        return {
          defaultValue: typed(here.defaultValue ?? feature.defaultValue, feature),
          rules: (here.rules ?? []).flatMap((rule) => (rule.enabled === false ? [] : ruleOf(rule, feature))),
        };
      },
    };
  });
}

function definitionIn(text: string): Definition {
  const { success, data } = definition.safeParse(jsonIn(text));
  if (!success) throw new Inexpressible('its definition, which is not valid');
  return data;
}

function jsonIn(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Inexpressible(`the value ${text.slice(0, 50)}, which is not valid JSON`);
  }
}

/** Returns the value in a text of the management API. */
function typed(value: unknown, { valueType }: ManagedFeature) {
  const text = String(value ?? '');
  return valueType === 'string' ? text : jsonIn(text);
}

function ruleOf(rule: ManagedRule, feature: ManagedFeature): Rule {
  const { type, condition, coverage, hashAttribute, scheduleRules } = rule;
  if (!['force', 'rollout'].includes(type)) throw new Inexpressible(`a rule of the type ${type}`);
  if (scheduleRules?.length) throw new Inexpressible('a schedule');
  if (rule.savedGroupTargeting?.length || rule.prerequisites?.length)
    throw new Inexpressible('a saved group or a prerequisite of a feature that is off');
  return {
    condition: condition ? Object(jsonIn(condition)) : {},
    force: typed(rule.value, feature),
    ...(type === 'rollout' && { coverage, hashAttribute }),
  };
}

function convert(feature: Feature, draft: Draft, context: Context): Omit<FlagEntry, 'key'> {
  const read = feature.read();
  const gates = gatesOf(read);
  const prerequisites = gates.map(({ id, condition }) => prerequisiteOf(id, condition ?? {}, context));
  return {
    enabled: feature.enabled,
    ...(feature.description?.trim() && { description: feature.description.slice(0, MAX_DESCRIPTION) }),
    ...(isPlain(read) ? plainFlag(read, draft, context) : variedFlag(read, draft, context)),
    ...(prerequisites.length > 0 && { prerequisites }),
  };
}

const MAX_DESCRIPTION = 1_000;

const gatesOf = ({ rules }: Definition) =>
  (rules ?? []).flatMap(({ parentConditions }) => (parentConditions ?? []).filter(({ gate }) => gate));

/** Returns the rules that serve a value. */
const servingRules = ({ rules }: Definition) =>
  (rules ?? []).filter(({ force, variations }) => force !== undefined || variations != null);

/** Returns whether a feature is only turned on by its rules, so that it needs no variations. */
function isPlain(read: Definition): boolean {
  const rules = servingRules(read);
  if (read.defaultValue === true) return rules.length === 0;
  return read.defaultValue === false && rules.every(({ force }) => force === true);
}

function plainFlag(read: Definition, draft: Draft, context: Context) {
  const rules = servingRules(read).flatMap((rule) => {
    const rollout = rolloutOf(coverageOf(rule, draft));
    return targetingsOf(rule, draft, context).map((targeting): FlagRule => ({ targeting, ...rollout }));
  });
  return {
    type: 'boolean' as const,
    ...(rules.length > 0 && { rules }),
    rolloutPercentage: read.defaultValue === true ? 100 : 0,
  };
}

function variedFlag(read: Definition, draft: Draft, context: Context) {
  const values = valuesOf(read);
  const keys = keysOf(values);
  const keyOf = (value: unknown) => keys[values.findIndex((one) => isSame(one, value))] ?? '';
  const byDefault = keyOf(read.defaultValue ?? null);
  let weights: ReadonlyMap<string, number> | undefined;
  const rules = servingRules(read).flatMap((rule): FlagRule[] => {
    const shares = sharesOf(rule, draft).map(({ value, percent }) => ({ variation: keyOf(value), percent }));
    const targetings = targetingsOf(rule, draft, context);
    const reached = reachedBy(shares);
    if (reached.every(({ percent }) => percent !== undefined))
      return reached.flatMap(({ variation, percent = 100 }) =>
        targetings.map((targeting) => ({ targeting, ...rolloutOf(percent), variation })),
      );
    // The weights of a flag divide exactly where percentages of rules cannot.
    if (weights !== undefined) throw new Inexpressible('fractions of a percent in two experiments');
    weights = new Map(keys.map((key) => [key, weightOf(shares, key)]));
    const covered = wholePercent(shares.reduce((sum, { percent }) => sum + percent, 0));
    if (covered === undefined)
      throw new Inexpressible('an experiment with a fraction of a percent of people');
    return targetings.map((targeting) => ({ targeting, ...rolloutOf(covered) }));
  });
  if (weights !== undefined) rules.push({ targeting: [], variation: byDefault });
  return {
    type: typeOf(values),
    ...(rules.length > 0 && { rules }),
    rolloutPercentage: weights === undefined ? 100 : 0,
    variations: values.map((value, index): Variation => {
      const key = keys[index] ?? '';
      return {
        key,
        value,
        weight: weights?.get(key) ?? (weights === undefined && key === byDefault ? 1 : 0),
      };
    }),
  };
}

type Value = Variation['value'];

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function valuesOf(read: Definition): Value[] {
  const all = [
    read.defaultValue ?? null,
    ...servingRules(read).flatMap(({ force, variations }) =>
      force === undefined ? (variations ?? []) : [force],
    ),
  ];
  return all.filter((one, index) => all.findIndex((other) => isSame(one, other)) === index);
}

const MAX_KEY = 200;

function keysOf(values: readonly Value[]): string[] {
  const texts = values.map((value) => (typeof value === 'object' ? '' : String(value)).trim());
  return texts.map((text, index) =>
    text === '' || text.length > MAX_KEY || texts.indexOf(text) !== texts.lastIndexOf(text)
      ? `value-${index + 1}`
      : text,
  );
}

interface Share {
  variation: string;
  percent: number;
}

/** Returns the values that a rule serves, each with its percentage of the people who match. */
function sharesOf(rule: Rule, draft: Draft): { value: unknown; percent: number }[] {
  if (rule.force !== undefined) return [{ value: rule.force, percent: coverageOf(rule, draft) }];
  const variations = rule.variations ?? [];
  if (variations.length > 1) warnOfBuckets(rule, draft);
  const weights = rule.weights ?? variations.map(() => 1 / variations.length);
  if (weights.length !== variations.length) throw new Inexpressible('an experiment without weights');
  const percents = variations.map((value, index) => ({
    value,
    percent: (weights[index] ?? 0) * (rule.coverage ?? 1) * 100,
  }));
  return percents.filter(({ percent }) => percent > 0);
}

function coverageOf(rule: Rule, draft: Draft): number {
  const coverage = rule.coverage ?? 1;
  if (coverage > 0 && coverage < 1) warnOfBuckets(rule, draft);
  const percent = wholePercent(coverage * 100);
  if (percent === undefined) throw new Inexpressible(`a rollout of ${coverage * 100} percent`);
  return percent;
}

/** Returns a percentage as an integer, if it is one apart from rounding. */
function wholePercent(percent: number): number | undefined {
  return Math.abs(percent - Math.round(percent)) < TOLERANCE ? Math.round(percent) : undefined;
}

const TOLERANCE = 0.000_001;

/** All rollouts of a flag use one hash, so each share adds the people between its percentage and the previous one. */
function reachedBy(shares: readonly Share[]): { variation: string; percent: number | undefined }[] {
  let sum = 0;
  return shares.map(({ variation, percent }) => {
    sum += percent;
    return { variation, percent: wholePercent(sum) };
  });
}

/** Weights are in ten-thousandths of a percent. */
function weightOf(shares: readonly Share[], key: string): number {
  const own = shares.filter(({ variation }) => variation === key);
  return Math.round(own.reduce((sum, { percent }) => sum + percent, 0) * 10_000);
}

const rolloutOf = (percent: number) => (percent === 100 ? {} : { rolloutPercentage: percent });

function warnOfBuckets({ hashAttribute }: Rule, draft: Draft): void {
  const by = hashAttribute && hashAttribute !== 'id' ? hashAttribute : undefined;
  draft.warn(by === undefined ? RE_BUCKETED : `${RE_BUCKETED}, and divide people instead of ${by}`);
}

function targetingsOf(rule: Rule, draft: Draft, { groups }: Context): FlagRule['targeting'][] {
  if (rule.parentConditions?.some(({ gate }) => !gate)) throw new Inexpressible('a rule with a prerequisite');
  if (rule.filters?.length || rule.namespace || rule.range || rule.ranges?.length)
    throw new Inexpressible('a namespace or a range of people');
  return alternativesOf(rule.condition ?? {}, { draft, groups });
}

function prerequisiteOf(id: string, condition: Record<string, unknown>, { features }: Context): Prerequisite {
  const required = features.get(id);
  if (required === undefined) throw new Inexpressible(`requires ${id}, which is not in the file`);
  if (!required.enabled) throw new Inexpressible(`requires ${id}, which is off`);
  const { value, ...others } = condition;
  if (Object.keys(others).length > 0 || typeof value === 'object' || value === undefined)
    throw new Inexpressible(`requires ${id} with a condition other than one value`);
  const read = required.read();
  if (isPlain(read)) return { flagKey: id, variationKey: value === true ? 'on' : 'off' };
  const values = valuesOf(read);
  const key = keysOf(values)[values.findIndex((one) => isSame(one, value))];
  if (key === undefined) throw new Inexpressible(`requires ${value} of ${id}, which it never serves`);
  return { flagKey: id, variationKey: key };
}
