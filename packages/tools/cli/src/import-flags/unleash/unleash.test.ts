import { readFile } from 'node:fs/promises';
import type { FlagEntry } from '@switchboard/contracts';
import {
  compileCohorts,
  compileRuleset,
  evaluateAll,
  type Flag,
  flagWarnings,
  memberships,
} from '@switchboard/flag-engine';
import { InMemStorageProvider, initialize } from 'unleash-client';
import { expect, onTestFinished, test } from 'vitest';
import type { Conversion } from '../conversion/conversion.ts';
import { fromUnleash } from './unleash.ts';

const exampleOf = (name: string) => readFile(new URL(`../../../examples/${name}`, import.meta.url), 'utf8');
const source = await exampleOf('unleash.json');
const segments = { source: await exampleOf('unleash-segments.json'), place: 'segments.json' };
const converted = fromUnleash({ source, place: 'unleash.json', segments });

const convert = (exported: object, more: { environment?: string } = {}) =>
  fromUnleash({ source: JSON.stringify(exported), place: 'x.json', ...more });
const strategy = (more: object) => ({ name: 'default', parameters: {}, constraints: [], ...more });
const withStrategies = (...strategies: object[]) =>
  convert({ features: [{ name: 'x', enabled: true, strategies }] });
const byKey = ({ flags }: Conversion) => new Map(flags.map((flag) => [flag.key, flag]));
const flagOf = (conversion: Conversion, key = 'x'): FlagEntry | undefined => byKey(conversion).get(key);

/** Returns the document that Unleash's server gives its SDKs for an export. */
function documentOf(exported: string, listed: string) {
  const { features, featureStrategies, featureEnvironments, dependencies } = JSON.parse(exported);
  return {
    version: 2,
    segments: JSON.parse(listed).segments,
    features: features
      .filter(({ archived }: { archived: boolean }) => !archived)
      .map(({ name, ...feature }: { name: string }) => {
        const isOf = ({ featureName }: { featureName: string }) => featureName === name;
        const { enabled, variants } = featureEnvironments.find(isOf);
        return {
          ...feature,
          name,
          enabled,
          variants,
          strategies: featureStrategies.filter(isOf).filter((one: { disabled: boolean }) => !one.disabled),
          dependencies:
            dependencies.find((one: { feature: string }) => one.feature === name)?.dependencies ?? [],
        };
      }),
  };
}

test('1,000 people get the same flags and variations as with unleash-client', async () => {
  const document = documentOf(source, segments.source);
  const unleash = initialize({
    url: 'http://127.0.0.1:1/api',
    appName: 'import',
    disableMetrics: true,
    refreshInterval: 0,
    storageProvider: new InMemStorageProvider(),
    bootstrap: { data: document.features, segments: document.segments },
  });
  onTestFinished(() => unleash.destroy());
  unleash.on('error', () => undefined);
  unleash.on('warn', () => undefined);
  await new Promise((resolve) => unleash.once('ready', resolve));
  const ruleset = compileRuleset(converted.flags);
  const cohorts = compileCohorts(converted.cohorts.map(({ did: _, ...cohort }) => cohort));
  const different = new Set<string>();
  for (let n = 0; n < 1_000; n++) {
    const distinctId = `person-${n}`;
    const traits = {
      plan: ['free', 'pro', 'team'][n % 3] ?? '',
      ...(n % 7 > 0 && { age: String(n % 90) }),
      version: `1.${n % 20}.0`,
      email: n % 2 === 0 ? `ada-${n}@acme.example` : `bob-${n}@other.example`,
    };
    const user = { distinctId, traits, cohorts: new Set(memberships(cohorts, { distinctId, traits })) };
    const { flags, variants, reasons } = evaluateAll(ruleset, user);
    for (const { key } of converted.flags) {
      const theirs = unleash.getVariant(key, { userId: distinctId, properties: traits });
      const expected = theirs.enabled ? theirs.name : theirs.feature_enabled;
      const got = variants[key] ?? reasons[key] === 'MATCH';
      if (got !== expected) different.add(key);
      const { payload } = theirs;
      if (theirs.enabled && payload !== undefined)
        expect(flags[key]).toEqual(payload.type === 'json' ? JSON.parse(payload.value) : payload.value);
    }
  }
  const warned = converted.warnings.filter(({ message }) => message.startsWith('its percentages'));
  expect([...different].sort()).toEqual(warned.map(({ key }) => key).sort());
  expect([...different].sort()).toEqual(['by-session', 'other-group']);
});

test('the report names each flag that is left out, and why', () => {
  expect(Object.fromEntries(converted.leftOut.map(({ key, reason }) => [key, reason]))).toEqual({
    pattern: 'REGEX',
    since: 'DATE_AFTER 2026-01-01T00:00:00.000Z; schedule a change of the flag instead',
    starts: 'STR_STARTS_WITH',
    'any-case': 'STR_CONTAINS that ignores case',
    custom: 'the strategy byWeather',
    'all-disabled': 'all of its strategies are disabled; remove them or switch it off',
    gone: 'archived',
    'needs-pattern': 'prerequisites[0].flagKey: there is no flag "pattern"',
    'needs-colour': 'requires colour with one of several variants, or with none of its own',
  });
  expect(converted.flags.length + converted.leftOut.length).toBe(JSON.parse(source).features.length);
});

test('keeps descriptions, types and values, and imports no clause that never matches', () => {
  const flags = byKey(converted);
  expect(flags.get('checkout')).toEqual({
    key: 'checkout',
    enabled: true,
    description: 'The new checkout',
    type: 'boolean',
    intent: 'release',
    rolloutPercentage: 100,
  });
  expect(flags.get('switched-off')).toMatchObject({ enabled: false, intent: 'kill_switch' });
  expect(flags.get('colour')).toMatchObject({ type: 'string', intent: 'experiment', rolloutPercentage: 80 });
  expect(flags.get('banner')).toMatchObject({ type: 'json', variations: [{ value: { lines: 1 } }, {}] });
  expect(flags.get('layout')?.rules).toEqual([
    { targeting: [{ attribute: 'plan', op: 'in', value: ['pro'] }], variation: 'grid' },
  ]);
  expect(converted.flags.flatMap((flag: Flag) => flagWarnings(flag))).toEqual([]);
});

test('segments become cohorts, also in the older export of the state', () => {
  expect(converted.cohorts).toContainEqual({
    id: 'unleash-segment-1',
    name: 'Paying',
    match: [{ attribute: 'plan', op: 'in', value: ['pro', 'team'] }],
  });
  const { cohorts, flags } = convert({
    version: 4,
    features: [{ name: 'x' }],
    featureStrategies: [strategy({ id: 's', featureName: 'x', environment: 'production' })],
    featureEnvironments: [{ featureName: 'x', environment: 'production', enabled: true }],
    segments: JSON.parse(segments.source).segments,
    featureStrategySegments: [{ featureStrategyId: 's', segmentId: 2 }],
  });
  expect(cohorts).toMatchObject([{ id: 'unleash-segment-2', name: 'Testers' }]);
  expect(cohorts[0]?.distinctIds).toHaveLength(20);
  expect(flags[0]?.targeting).toEqual([
    { attribute: 'distinct_id', op: 'in_cohort', value: 'unleash-segment-2' },
  ]);
});

test('a segment without its constraints asks for the file of segments', () => {
  const { leftOut } = fromUnleash({ source, place: 'unleash.json' });
  expect(leftOut).toContainEqual({
    key: 'in-segment',
    reason: 'segment Paying; give the segments with --segments',
  });
});

test('imports the state of the given environment', () => {
  const state = (environment: string, enabled: boolean) => ({ featureName: 'x', environment, enabled });
  const rollout = (environment: string, share: string) => ({
    ...strategy({ featureName: 'x', environment, name: 'flexibleRollout' }),
    parameters: { rollout: share, stickiness: 'default', groupId: 'x' },
  });
  const exported = {
    features: [{ name: 'x' }, { name: 'only-dev' }],
    featureEnvironments: [
      state('dev', true),
      state('live', false),
      { ...state('dev', true), featureName: 'only-dev' },
    ],
    featureStrategies: [rollout('dev', '100'), rollout('live', '5')],
  };
  const live = convert(exported, { environment: 'live' });
  expect(flagOf(live)).toMatchObject({ enabled: false, rolloutPercentage: 5 });
  expect(live.leftOut).toEqual([{ key: 'only-dev', reason: 'not in this environment' }]);
  expect(flagOf(convert(exported, { environment: 'dev' }))).toMatchObject({
    enabled: true,
    rolloutPercentage: 100,
  });
  expect(() => convert(exported)).toThrow('give --environment: the file has dev, live');
  expect(() => convert(exported, { environment: 'prod' })).toThrow('there is no prod');
});

test('a long list of people becomes a cohort', () => {
  const values = Array.from({ length: 1_500 }, (_, n) => `p-${n}`);
  const constraint = { contextName: 'userId', operator: 'NOT_IN', values };
  const { cohorts, flags } = withStrategies(strategy({ constraints: [constraint] }));
  expect(cohorts).toMatchObject([{ name: '1500 people of Unleash', distinctIds: values }]);
  expect(flags[0]?.targeting).toEqual([
    { attribute: 'distinct_id', op: 'not_in_cohort', value: cohorts[0]?.id },
  ]);
  expect(
    withStrategies(
      strategy({ constraints: [{ ...constraint, values: values.map((one) => one.repeat(50)) }] }),
    ).leftOut,
  ).toEqual([{ key: 'x', reason: expect.stringContaining('distinctIds[') }]);
});

test('names fields that the SDKs of Unleash fill in', () => {
  const constraints = [{ contextName: 'appName', operator: 'IN', values: ['shop'] }];
  expect(withStrategies(strategy({ constraints })).warnings).toEqual([
    { key: 'x', message: 'reads appName, which is a trait that your code has to set' },
  ]);
});

test.each([
  [
    [strategy({ variants: [{ name: 'a', weight: 1 }] }), strategy({})],
    'strategies with and without variants',
  ],
  [
    [
      strategy({ variants: ['a', 'b'].map((name) => ({ name, weight: 1 })) }),
      strategy({ variants: ['a', 'c'].map((name) => ({ name, weight: 1 })) }),
    ],
    'strategies with different variants',
  ],
  [
    [strategy({ variants: [{ name: 'a', weight: 1, payload: { type: 'json', value: '{' } }] })],
    'not valid JSON',
  ],
  [[strategy({ name: 'remoteAddress', parameters: { IPs: '10.0.0.0/8' } })], 'a range of addresses'],
  [[strategy({ name: 'flexibleRollout', parameters: { rollout: '12.5' } })], 'a rollout of 12.5 percent'],
  [[strategy({ constraints: [{ contextName: 'a', operator: 'NUM_GT', value: 'x' }] })], 'not a number'],
  [[strategy({ constraints: [{ contextName: 'a', operator: 'SEMVER_GT', value: '1' }] })], 'not a version'],
])('leaves out %j', (strategies, reason) => {
  const { flags, leftOut } = withStrategies(...strategies);
  expect([flags, leftOut]).toEqual([[], [{ key: 'x', reason: expect.stringContaining(reason) }]]);
});

test.each([
  ['{', 'x.json: not valid JSON'],
  ['{}', 'features: required'],
  [JSON.stringify({ features: Array.from({ length: 5_001 }, () => ({ name: 'x' })) }), 'features'],
])('refuses a file that is not an export', (text, message) => {
  expect(() => fromUnleash({ source: text, place: 'x.json' })).toThrow(message);
});
