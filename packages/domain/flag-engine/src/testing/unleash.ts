import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Clause, Cohort, Flag, Prerequisite, User, Variation } from '../index.ts';
import { compileCohorts, memberships } from '../index.ts';

export interface UnleashConstraint {
  contextName: string;
  operator: string;
  values?: string[];
  value?: string;
  inverted?: boolean;
  caseInsensitive?: boolean;
}

interface UnleashVariant {
  name: string;
  weight: number;
  payload: { type: string; value: string };
  stickiness?: string;
  overrides?: unknown[];
}

interface UnleashStrategy {
  name: string;
  parameters?: Record<string, string>;
  constraints?: UnleashConstraint[];
  segments?: number[];
  variants?: UnleashVariant[];
}

interface UnleashFeature {
  name: string;
  enabled: boolean;
  strategies: UnleashStrategy[];
  variants?: UnleashVariant[];
  dependencies?: { feature: string; enabled?: boolean; variants?: string[] }[];
}

export interface UnleashState {
  features?: UnleashFeature[];
  segments?: { id: number; constraints: UnleashConstraint[] }[];
}

export interface UnleashCase {
  description: string;
  toggleName: string;
  context: Record<string, unknown> & { properties?: Record<string, unknown> };
  expectedResult: boolean | { name: string; enabled: boolean; feature_enabled: boolean; payload?: unknown };
}

export interface UnleashFile {
  file: string;
  state: UnleashState;
  cases: UnleashCase[];
}

/** Thrown if a feature has no equivalent flag. */
export class Unmapped extends Error {}

/** Reads every file of the specification with its cases. */
export function readSpecification(): UnleashFile[] {
  const folder = new URL('.', import.meta.resolve('@unleash/client-specification/specifications/index.json'));
  const read = (file: string) => JSON.parse(readFileSync(fileURLToPath(new URL(file, folder)), 'utf8'));
  return (read('index.json') as string[]).map((file) => {
    const { state, tests = [], variantTests = [] } = read(file);
    return { file, state, cases: [...tests, ...variantTests] };
  });
}

export interface MappedCase {
  flags: Flag[];
  /** The flag's key: the group id if that is what Unleash hashes. */
  key: string;
  user: User;
}

/**
 * Translates a case to Switchboard. Strategies but the last become rules, segments become cohorts, dependencies become prerequisites, the stickiness
 * becomes the distinct id, and every other context field becomes a trait.
 */
export function mapCase(state: UnleashState, { toggleName, context }: UnleashCase): MappedCase {
  if (state.features === undefined) throw new Unmapped('delta events instead of a state');
  const features = new Map(state.features.map((feature) => [feature.name, feature]));
  const feature = features.get(toggleName);
  const { properties, ...fields } = context;
  const traits = { ...properties, ...fields };
  const distinctId = String(traits[stickinessOf(feature, traits)] ?? '');
  if (distinctId === '') refuseFullRolloutOf(feature);
  const person = { distinctId, traits };
  const key = feature === undefined ? toggleName : hashedName(feature);
  const related = relatives(feature, features).map((relative) => mapFeature(relative, features));
  const cohorts = (state.segments ?? []).map(mapSegment);
  const user = { ...person, cohorts: new Set(memberships(compileCohorts(cohorts), person)) };
  return {
    flags: feature === undefined ? [] : [...related, { ...mapFeature(feature, features), key }],
    key,
    user,
  };
}

function relatives(feature: UnleashFeature | undefined, features: ReadonlyMap<string, UnleashFeature>) {
  const found = new Set<UnleashFeature>(feature === undefined ? [] : [feature]);
  for (const { dependencies = [] } of found) {
    for (const dependency of dependencies) {
      const relative = features.get(dependency.feature);
      if (relative !== undefined) found.add(relative);
    }
  }
  return [...found].slice(1);
}

function mapFeature(feature: UnleashFeature, features: ReadonlyMap<string, UnleashFeature>): Flag {
  const strategies = feature.strategies.map((strategy) => ({
    targeting: mapStrategy(strategy),
    rolloutPercentage: Number(strategy.parameters?.['percentage'] ?? strategy.parameters?.['rollout'] ?? 100),
  }));
  const variants = variantsOf(feature);
  if (variants.some(({ overrides = [] }) => overrides.length > 0)) throw new Unmapped('variant overrides');
  return {
    key: feature.name,
    enabled: feature.enabled,
    type: 'json',
    // Any strategy is enough, as any rule is before the flag's own targeting and rollout.
    rules: strategies.slice(0, -1),
    ...(strategies.at(-1) ?? { targeting: [], rolloutPercentage: 100 }),
    variations: variants.map(
      ({ name, weight, payload }): Variation => ({ key: name, value: payload, weight }),
    ),
    prerequisites: (feature.dependencies ?? []).map((dependency) => mapDependency(dependency, features)),
  };
}

function variantsOf(feature: UnleashFeature): UnleashVariant[] {
  const ofStrategy = feature.strategies[0]?.variants ?? [];
  return ofStrategy.length > 0 ? ofStrategy : (feature.variants ?? []);
}

/**
 * Returns the name that Unleash hashes: the group id of a strategy, or the name for variants of a feature.
 * Switchboard hashes the key.
 */
function hashedName(feature: UnleashFeature): string {
  const [strategy] = feature.strategies;
  const ofStrategy = strategy?.variants ?? [];
  const rollout = strategy?.parameters?.['percentage'] ?? strategy?.parameters?.['rollout'] ?? '100';
  const hashesGroup = ofStrategy.length > 1 || !['0', '100'].includes(rollout);
  return (hashesGroup ? strategy?.parameters?.['groupId'] : undefined) ?? feature.name;
}

function stickinessOf(feature: UnleashFeature | undefined, traits: Record<string, unknown>): string {
  const [strategy] = feature?.strategies ?? [];
  const [variant] = feature === undefined ? [] : variantsOf(feature);
  if (strategy?.name === 'gradualRolloutSessionId') return 'sessionId';
  const stickiness = variant?.stickiness ?? strategy?.parameters?.['stickiness'] ?? 'default';
  if (stickiness !== 'default') return stickiness;
  return traits['userId'] === undefined ? 'sessionId' : 'userId';
}

/**
 * Throws Unmapped for a rollout of 100 percent: the oldest rollouts of Unleash exclude people without an id even
 * then. Switchboard includes them.
 */
function refuseFullRolloutOf(feature: UnleashFeature | undefined) {
  const [{ name, parameters = {} } = { name: '' }] = feature?.strategies ?? [];
  if (!['gradualRolloutUserId', 'gradualRolloutSessionId'].includes(name)) return;
  if (parameters['percentage'] === '100') throw new Unmapped('zero people at 100 percent');
}

const strategies = [
  ...['default', 'userWithId', 'remoteAddress', 'flexibleRollout'],
  ...['gradualRolloutUserId', 'gradualRolloutSessionId', 'gradualRolloutRandom'],
];

function mapStrategy({ name, parameters = {}, constraints = [], segments = [] }: UnleashStrategy): Clause[] {
  if (!strategies.includes(name)) throw new Unmapped(`strategy ${name}`);
  if (name === 'gradualRolloutRandom' && !['0', '100'].includes(String(parameters['percentage'])))
    throw new Unmapped('chance');
  const clauses = constraints.flatMap(mapConstraint);
  for (const id of segments) clauses.push({ attribute: 'cohort', op: 'in_cohort', value: String(id) });
  const listed = (list = '') => list.split(',').map((entry) => entry.trim());
  if (name === 'userWithId')
    clauses.push({ attribute: 'userId', op: 'in', value: listed(parameters['userIds']) });
  if (name === 'remoteAddress')
    clauses.push({ attribute: 'remoteAddress', op: 'in', value: listed(parameters['IPs']) });
  return clauses;
}

function mapSegment({ id, constraints }: { id: number; constraints: UnleashConstraint[] }): Cohort {
  return { id: String(id), match: constraints.flatMap(mapConstraint) };
}

const inversions: Record<string, Clause['op']> = { in: 'not_in', not_in: 'in', eq: 'neq' };

const operators: Record<string, Clause['op'][]> = {
  IN: ['in'],
  NOT_IN: ['not_in'],
  STR_CONTAINS: ['contains'],
  NUM_EQ: ['eq'],
  NUM_GT: ['gt'],
  NUM_GTE: ['gte'],
  NUM_LT: ['lt'],
  NUM_LTE: ['lte'],
  DATE_AFTER: ['gt'],
  DATE_BEFORE: ['lt'],
  // Equal precedence, ignoring build metadata. `eq` would compare the strings.
  SEMVER_EQ: ['gte', 'lte'],
  SEMVER_GT: ['gt'],
  SEMVER_GTE: ['gte'],
  SEMVER_LT: ['lt'],
  SEMVER_LTE: ['lte'],
};

function mapConstraint(constraint: UnleashConstraint): Clause[] {
  const { contextName: attribute, operator, values, value, inverted, caseInsensitive } = constraint;
  if (caseInsensitive === true) throw new Unmapped('case-insensitive text');
  if (operator === 'STR_STARTS_WITH' || operator === 'STR_ENDS_WITH')
    throw new Unmapped('beginning or end of a text');
  if (operator === 'REGEX') throw new Unmapped('regular expression');
  if (operator === 'IN_CIDR') throw new Unmapped('range of addresses');
  // An operator that Unleash does not know is also unknown here.
  const ops = operators[operator] ?? [operator as Clause['op']];
  const operand = operator === 'NUM_EQ' ? Number(value) : (value ?? values);
  return ops.map((op) => {
    if (inverted !== true) return { attribute, op, value: operand };
    const inverse = inversions[op];
    if (inverse === undefined) throw new Unmapped('negated substring');
    return { attribute, op: inverse, value: operand };
  });
}

function mapDependency(
  { feature, enabled = true, variants }: NonNullable<UnleashFeature['dependencies']>[number],
  features: ReadonlyMap<string, UnleashFeature>,
): Prerequisite {
  const parent = features.get(feature);
  if (parent === undefined) return { flagKey: feature, variationKey: 'on' };
  const grandparents = (parent.dependencies ?? []).map((dependency) => dependency.feature);
  const isCycle = grandparents.some((name) => features.get(name)?.dependencies?.[0]?.feature === feature);
  if (grandparents.length > 0 && !isCycle)
    throw new Unmapped('a parent with a parent, which Unleash rejects');
  if (!enabled) return { flagKey: feature, variationKey: 'off' };
  // Unleash uses the name "disabled" for the variant of a feature that is on and has no variants.
  const names = variantsOf(parent).map(({ name }) => name);
  const servable = names.length === 0 ? ['disabled'] : names;
  const wanted = variants === undefined || variants.length === 0 ? servable : variants;
  const [first = 'never', ...more] = servable.filter((name) => wanted.includes(name));
  if (more.length > 0) throw new Unmapped('any of several variants');
  return { flagKey: feature, variationKey: first === 'disabled' && names.length === 0 ? 'on' : first };
}
