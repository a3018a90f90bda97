import type { Clause, FlagEntry, FlagRule, Variation } from '@switchboard/contracts';
import {
  type Conversion,
  convertAll,
  type Draft,
  hashOf,
  Inexpressible,
  inCohort,
  listedPeople,
  RE_BUCKETED,
  typeOf,
} from '../conversion/conversion.ts';
import { type ImportOptions, readJsonFile } from '../conversion/read.ts';
import { type EnvironmentDocument, environmentDocument, type FeatureState } from './document.ts';
import { cohortsOf } from './segments.ts';

/** Converts an environment document of Flagsmith. Percentages get other people. Throws UsageError. */
export function fromFlagsmith({ source, place }: ImportOptions): Conversion {
  const document = readJsonFile(source, place, environmentDocument);
  return convertAll(
    document.feature_states.map((state) => ({
      key: state.feature.name,
      convert: (draft) => convert(state, document, draft),
    })),
  );
}

/** The state of a feature for some people. */
interface Override {
  state: FeatureState;
  isIn: Clause;
  isNotIn: Clause;
}

function convert(
  byDefault: FeatureState,
  document: EnvironmentDocument,
  draft: Draft,
): Omit<FlagEntry, 'key'> {
  const overrides = overridesOf(byDefault.feature.name, document, draft);
  const states = [byDefault, ...overrides.map(({ state }) => state)];
  // A feature that is off for everyone keeps its value for the day when it is turned on.
  const enabled = states.some((one) => one.enabled);
  const values = valuesOf(states);
  const keys = keysOf(values);
  if (!byDefault.enabled && enabled && values.length > 0)
    draft.warn('code that reads its value while it is off gets its own default');
  const rules: FlagRule[] = [];
  const excluded: Clause[] = [];
  for (const { state, isIn, isNotIn } of overrides) {
    // Rules only turn a flag on, so those who get it off are excluded from everything that follows.
    if (!state.enabled) excluded.push(isNotIn);
    else rules.push(...rulesOf(state, [...excluded, isIn], { values, keys, draft }));
  }
  const isServed = byDefault.enabled || !enabled;
  const weights = weightsOf(byDefault, values);
  if (weights.filter((weight) => weight > 0).length > 1) draft.warn(RE_BUCKETED);
  return {
    enabled,
    type: values.length === 0 ? 'boolean' : typeOf(values),
    ...(rules.length > 0 && { rules }),
    ...(isServed && excluded.length > 0 && { targeting: excluded }),
    rolloutPercentage: isServed ? 100 : 0,
    ...(values.length > 0 && {
      variations: values.map(
        (value, index): Variation => ({ key: keys[index] ?? '', value, weight: weights[index] ?? 0 }),
      ),
    }),
  };
}

/** Returns the overrides of a feature in order of precedence: for people, then for segments by priority. */
function overridesOf(name: string, document: EnvironmentDocument, draft: Draft): Override[] {
  const isOf = (state: FeatureState) => state.feature.name === name;
  const ofPeople = (document.identity_overrides ?? []).flatMap(({ identifier, identity_features }) =>
    (identity_features ?? []).filter(isOf).map((state) => ({ identifier, state })),
  );
  const people = [...Map.groupBy(ofPeople, ({ state }) => JSON.stringify(servedBy(state))).values()];
  const segments = (document.project.segments ?? [])
    .flatMap((segment) => (segment.feature_states ?? []).filter(isOf).map((state) => ({ segment, state })))
    .toSorted((one, other) => priorityOf(one.state) - priorityOf(other.state));
  return [
    ...people.flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const ids = group.map(({ identifier }) => identifier);
      const ofList = {
        id: `flagsmith-people-${hashOf([name, servedBy(first.state)])}`,
        name: 'People of Flagsmith',
      };
      const isIn = listedPeople(ids, { draft, ofList });
      return [{ state: first.state, isIn, isNotIn: listedPeople(ids, { draft, ofList, op: 'not_in' }) }];
    }),
    ...segments.map(({ segment, state }) => {
      const value = cohortsOf(segment, draft);
      return {
        state,
        isIn: { ...inCohort(''), value },
        isNotIn: { ...inCohort('', 'not_in_cohort'), value },
      };
    }),
  ];
}

const priorityOf = ({ feature_segment }: FeatureState) =>
  feature_segment?.priority ?? Number.MAX_SAFE_INTEGER;

const servedBy = ({ enabled, feature_state_value, multivariate_feature_state_values }: FeatureState) => [
  enabled,
  feature_state_value ?? null,
  multivariate_feature_state_values ?? [],
];

type Value = string | number | boolean | null;

interface Share {
  value: Value;
  percent: number;
}

/** Returns the values that a state serves. The control value gets the percentage that is left. */
function sharesOf({ feature_state_value, multivariate_feature_state_values }: FeatureState): Share[] {
  const shares = (multivariate_feature_state_values ?? [])
    .toSorted((one, other) => (one.id ?? 0) - (other.id ?? 0))
    .map(
      ({ percentage_allocation: percent, multivariate_feature_option: { value } }): Share => ({
        value: value ?? null,
        percent,
      }),
    );
  const left = 100 - shares.reduce((sum, { percent }) => sum + percent, 0);
  return [...shares, { value: feature_state_value ?? null, percent: left }].filter(
    ({ percent }) => percent > 0,
  );
}

/** Returns the values of all states. Empty if none has one. */
function valuesOf(states: readonly FeatureState[]): Value[] {
  const all = states.flatMap((state) => [
    state.feature_state_value ?? null,
    ...sharesOf(state).map(({ value }) => value),
  ]);
  return all.every((value) => value === null) ? [] : [...new Set(all)];
}

const MAX_KEY = 200;

function keysOf(values: readonly Value[]): string[] {
  const texts = values.map((value) => (value === null ? '' : String(value).trim()));
  return texts.map((text, index) =>
    text === '' || text.length > MAX_KEY || texts.indexOf(text) !== texts.lastIndexOf(text)
      ? `value-${index + 1}`
      : text,
  );
}

/** Weights are in ten-thousandths of a percent. */
function weightsOf(state: FeatureState, values: readonly Value[]): number[] {
  const shares = sharesOf(state);
  const single = shares.length === 1;
  return values.map((value) => {
    const own = shares.filter((one) => one.value === value).reduce((sum, { percent }) => sum + percent, 0);
    return single ? Math.sign(own) : Math.round(own * 10_000);
  });
}

function rulesOf(
  state: FeatureState,
  targeting: Clause[],
  { values, keys, draft }: { values: readonly Value[]; keys: readonly string[]; draft: Draft },
): FlagRule[] {
  if (values.length === 0) return [{ targeting }];
  const shares = sharesOf(state);
  if (shares.length > 1) draft.warn(RE_BUCKETED);
  let reached = 0;
  // All rollouts of a flag use one hash, so each rule adds the people between its percentage and the previous one.
  return shares.map(({ value, percent }) => {
    reached += percent;
    if (!Number.isInteger(reached)) throw new Inexpressible('fractions of a percent for a segment');
    return {
      targeting,
      ...(reached < 100 && { rolloutPercentage: reached }),
      variation: keys[values.indexOf(value)],
    };
  });
}
