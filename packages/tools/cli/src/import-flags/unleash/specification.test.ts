import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compileCohorts, compileRuleset, evaluateFlag, memberships } from '@switchboard/flag-engine';
import { expect, test } from 'vitest';
import { RE_BUCKETED } from '../conversion/conversion.ts';
import { fromUnleash } from './unleash.ts';

interface Specification {
  state: {
    /** Absent in files of changes to a state. */
    features?: { name: string; dependencies?: unknown[] }[];
    segments?: { id: number }[];
  };
  tests?: Case[];
  variantTests?: Case[];
}

interface Case {
  description: string;
  toggleName: string;
  context: { userId?: string; sessionId?: string; properties?: object };
  expectedResult: boolean | Variant;
}

interface Variant {
  name: string;
  enabled: boolean;
  feature_enabled: boolean;
  payload?: { type: string; value: string };
}

const folder = new URL('.', import.meta.resolve('@unleash/client-specification/specifications/index.json'));
const read = (file: string) => JSON.parse(readFileSync(fileURLToPath(new URL(file, folder)), 'utf8'));

const files = (read('index.json') as string[]).map((file) => {
  const { state, tests = [], variantTests = [] }: Specification = read(file);
  return { file: file.replace('.json', ''), state, cases: [...tests, ...variantTests] };
});

/** Imports a state, which is what Unleash's server gives its SDKs. */
function imported({ features = [], segments = [] }: Specification['state']) {
  const dependencies = features.map(({ name, dependencies: own = [] }) => ({
    feature: name,
    dependencies: own,
  }));
  const named = segments.map((one) => ({ ...one, name: `Segment ${one.id}` }));
  const conversion = fromUnleash({
    source: JSON.stringify({ features, dependencies, segments: named }),
    place: 'state.json',
  });
  const ruleset = compileRuleset(conversion.flags);
  const cohorts = compileCohorts(conversion.cohorts.map(({ did: _, ...cohort }) => cohort));

  function answer({ toggleName, context, expectedResult }: Case): boolean | Variant {
    const { properties, ...fields } = context;
    const person = {
      distinctId: context.userId ?? context.sessionId ?? '',
      traits: { ...properties, ...fields },
    };
    const user = { ...person, cohorts: new Set(memberships(cohorts, person)) };
    const decision = evaluateFlag(ruleset, toggleName, user);
    const isOn = decision?.reason === 'MATCH';
    if (typeof expectedResult === 'boolean') return isOn;
    const { variant = null, value } = decision ?? {};
    if (variant === null) return { name: 'disabled', enabled: false, feature_enabled: isOn };
    const { payload } = expectedResult;
    // The type is asserted by the value that it has here.
    const text = payload?.type === 'json' ? JSON.stringify(value) : String(value);
    return {
      name: variant,
      enabled: true,
      feature_enabled: isOn,
      ...(payload && { payload: { ...payload, value: text } }),
    };
  }

  return {
    answer,
    reasonOf: (flag: string) => conversion.leftOut.find(({ key }) => key === flag)?.reason,
    warningsOf: (flag: string) =>
      conversion.warnings.filter(({ key }) => key === flag).map(({ message }) => message),
  };
}

/** Compares the answers, and returns the cases that are not the same by the report of the import. */
function compared() {
  let same = 0;
  const leftOut: Record<string, number> = {};
  const differing: Record<string, string[]> = {};
  for (const { file, state, cases } of files) {
    if (state.features === undefined) {
      leftOut[`${file}: changes to a state`] = cases.length;
      continue;
    }
    const { answer, reasonOf, warningsOf } = imported(state);
    for (const specified of cases) {
      const reason = reasonOf(specified.toggleName);
      if (reason !== undefined) {
        const row = `${file}: ${reason}`;
        leftOut[row] = (leftOut[row] ?? 0) + 1;
      } else if (JSON.stringify(answer(specified)) === JSON.stringify(ordered(specified.expectedResult))) {
        same++;
      } else {
        const warnings = `${file}: ${warningsOf(specified.toggleName).join('; ')}`;
        differing[warnings] = [...(differing[warnings] ?? []), specified.description];
      }
    }
  }
  return { same, leftOut, differing };
}

function ordered(expected: boolean | Variant) {
  if (typeof expected === 'boolean') return expected;
  const { name, enabled, feature_enabled, payload } = expected;
  return { name, enabled, feature_enabled, ...(payload && { payload }) };
}

const SCHEDULE = 'schedule a change of the flag instead';

test('flags of the Unleash client specification get the specified answers, unless the report names them', () => {
  const { same, leftOut, differing } = compared();
  expect(leftOut).toEqual({
    [`13-constraint-operators: DATE_AFTER 2022-01-22T13:00:00.000+02:00; ${SCHEDULE}`]: 1,
    [`13-constraint-operators: DATE_AFTER 2022-01-22T13:00:00.000Z; ${SCHEDULE}`]: 1,
    [`13-constraint-operators: DATE_AFTER 2022-01-29T13:00:00.000Z; ${SCHEDULE}`]: 3,
    [`13-constraint-operators: DATE_BEFORE 2022-01-29T13:00:00.000Z; ${SCHEDULE}`]: 3,
    '13-constraint-operators: NOT_A_VALID_OPERATOR': 1,
    '13-constraint-operators: STR_ENDS_WITH': 3,
    '13-constraint-operators: STR_ENDS_WITH that ignores case': 1,
    '13-constraint-operators: STR_STARTS_WITH': 4,
    '13-constraint-operators: STR_STARTS_WITH that ignores case': 2,
    '14-constraint-semver-operators: SEMVER_EQ with v2.0.0, which is not a version': 2,
    '15-global-constraints: segment 404; give the segments with --segments': 1,
    '17-dependent-features: requires parent.enabled.child.enabled, which requires another flag': 2,
    '17-dependent-features: requires parent.not.exist, which is not in the file': 2,
    '17-dependent-features: requires parent.with.cycle, which requires another flag': 2,
    '17-dependent-features: requires parent.with.variant with one of several variants, or with none of its own': 2,
    '19-delta-api-hydration: changes to a state': 1,
    '20-delta-api-events: changes to a state': 3,
    '21-regex-constraint-operators: REGEX': 37,
    '22-cidr-constraint-operators: IN_CIDR': 12,
  });
  const without = (field: string) => `its rollout now includes people without ${field}`;
  expect(differing).toEqual({
    [`03-gradual-rollout-user-id-strategy: ${without('userId')}`]: [
      'Feature.A3 should be disabled when no user on context',
    ],
    // Another group id than the name of the flag.
    [`03-gradual-rollout-user-id-strategy: ${RE_BUCKETED}; ${without('userId')}`]: [
      'Feature.B3 should be disabled for userId=155',
    ],
    [`04-gradual-rollout-session-id-strategy: ${without('sessionId')}`]: [
      'Feature.A4 should be disabled when no user on context',
    ],
    [`04-gradual-rollout-session-id-strategy: ${RE_BUCKETED}; ${without('sessionId')}`]: [
      'Feature.B4 should be enabled for sessionId=122',
      'Feature.B4 should be disabled for sessionId=155',
    ],
    [`10-flexible-rollout-strategy: ${without('userId')}`]: [
      'Feature.flexibleRollout.userId.55 should be disabled for sessionId=25',
    ],
    [`12-custom-stickiness: ${RE_BUCKETED}; ${without('customField')}`]: [
      'Feature.flexible.rollout.custom.stickiness_50 should be enabled for customField=388',
      'Feature.flexible.rollout.custom.stickiness_50 should be enabled for customField=39',
      'Feature.flexible.rollout.custom.stickiness_100 and customField=503 yields red',
      'Feature.flexible.rollout.custom.stickiness_100 and customField=438 yields green',
      'Feature.flexible.rollout.custom.stickiness_100 and customField=44 yields yellow',
    ],
    [`15-global-constraints: ${RE_BUCKETED}`]: ['F9.globalSegmentOn and customField=616 yields green'],
    [`16-strategy-variants: ${RE_BUCKETED}`]: [
      'Feature.strategy.multiple.variants should choose first variant',
      'Feature.strategy.multiple.variants should choose second variant',
    ],
    [`16-strategy-variants: ${RE_BUCKETED}; ${without('clientId')}`]: [
      'Feature.strategy.variants.stickiness should inherit stickiness from the strategy - second variant',
    ],
  });
  const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);
  const differ = sum(Object.values(differing).map((cases) => cases.length));
  expect([same, differ, sum(Object.values(leftOut))]).toEqual([181, 15, 83]);
  expect(same + differ + sum(Object.values(leftOut))).toBe(files.flatMap(({ cases }) => cases).length);
});
