import { describe, expect, test } from 'vitest';
import { entitlements } from './catalogue.ts';
import {
  companyDefinition,
  memberDefinition,
  projectDefinition,
  projectKey,
  reportDefinition,
} from './directory.ts';
import { cohortDefinition, flagDefinition, putFlag } from './flags/flags.ts';
import { messengerTextsByLanguage, teammateDefinition } from './messenger.ts';
import { apiTokenDefinition } from './tokens.ts';

interface Schema {
  safeParse(value: unknown): { error?: { issues: { path: PropertyKey[] }[] } | undefined };
}
const paths = (schema: Schema, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path }) => path.join('.')) ?? [];

describe('a flag', () => {
  const of = (changes: object) => paths(flagDefinition, { enabled: true, rolloutPercentage: 50, ...changes });
  const variation = { key: 'a', value: 'x', weight: 1 };

  test('accepts an integer from 0 to 100 as the rollout percentage of a flag', () => {
    for (const rolloutPercentage of [0, 100]) expect(of({ rolloutPercentage })).toEqual([]);
    for (const rolloutPercentage of [-1, 101, 0.5])
      expect(of({ rolloutPercentage })).toEqual(['rolloutPercentage']);
  });

  test('requires non-negative weights with a positive sum', () => {
    expect(
      of({
        variations: [
          { ...variation, weight: 0 },
          { ...variation, key: 'b' },
        ],
      }),
    ).toEqual([]);
    expect(of({ variations: [{ ...variation, weight: 0 }] })).toEqual(['variations']);
    expect(of({ variations: [{ ...variation, weight: -1 }] })).toEqual(['variations.0.weight']);
  });

  test('requires the values of a flag to have its type', () => {
    expect(of({ type: 'string', variations: [variation] })).toEqual([]);
    expect(of({ type: 'json', variations: [{ ...variation, value: null }] })).toEqual([]);
    expect(of({ type: 'number', variations: [variation] })).toEqual(['variations.0.value']);
    expect(of({ type: 'boolean', variations: [{ ...variation, value: null }] })).toEqual([
      'variations.0.value',
    ]);
  });

  test('accepts weights that sum to at most 1,000,000', () => {
    expect(of({ variations: [{ ...variation, weight: 1_000_000 }] })).toEqual([]);
    expect(
      of({
        variations: [
          { ...variation, weight: 1_000_000 },
          { ...variation, key: 'b' },
        ],
      }),
    ).toEqual(['variations']);
  });

  test('requires unique variation keys', () => {
    expect(of({ variations: [variation, variation] })).toEqual(['variations.1.key']);
  });

  test.each([
    ...['eq', 'neq', 'in', 'not_in', 'contains', 'gt', 'gte', 'lt', 'lte'],
    ...['is_set', 'is_not_set', 'in_cohort', 'not_in_cohort'],
  ])('accepts targeting with %s', (op) => {
    expect(of({ targeting: [{ attribute: 'plan', op, value: 'pro' }] })).toEqual([]);
  });

  test('rejects unknown targeting operators', () => {
    expect(of({ targeting: [{ attribute: 'plan', op: 'matches', value: 'p' }] })).toEqual(['targeting.0.op']);
  });
});

test('refuses a cohort that refers to another cohort', () => {
  const of = (op: string) =>
    paths(cohortDefinition, { name: 'Beta', match: [{ attribute: '', op, value: 'c' }] });
  expect(of('eq')).toEqual([]);
  expect(of('in_cohort')).toEqual(['match.0.op']);
  expect(of('not_in_cohort')).toEqual(['match.0.op']);
});

test('checks the types of known entitlements, and stores other entitlements', () => {
  const given = { articleSearch: true, aiTranslationBytesPerMonth: 0, seats: 5, support: { hours: [9, 17] } };
  expect(entitlements.parse(given)).toEqual(given);
  expect(paths(entitlements, { articleSearch: 'yes' })).toEqual(['articleSearch']);
  expect(paths(entitlements, { 'a\0': true })).toEqual(['']);
  expect(paths(entitlements, { aiTranslationBytesPerMonth: -1 })).toEqual(['aiTranslationBytesPerMonth']);
});

test.each([
  ['a company', companyDefinition, { plan: { tier: 'pro', cycle: 'monthly' } }],
  ['a member', memberDefinition, { email: 'ada@example.com' }],
  ['a project', projectDefinition, { companyId: 'acme', region: 'eu', defaultLanguage: 'en' }],
  ['a report', reportDefinition, {}],
  ['a cohort', cohortDefinition, {}],
  ['a teammate', teammateDefinition, {}],
  ['a token', apiTokenDefinition, { kind: 'service', permissions: ['flags.read'] }],
])('requires the name of %s to be one line without characters that reorder text', (_, definition, rest) => {
  expect(paths(definition, { ...rest, name: 'Größe 日本 (1)' })).toEqual([]);
  for (const name of ['Evil\r\nBcc: x@example.com', 'a\tb', 'a\u202eb', 'a\u2066b', 'a\u2028b', ' ']) {
    expect(paths(definition, { ...rest, name })).toEqual(['name']);
  }
});

test('requires the key of a flag to be one line without characters that reorder text', () => {
  const { params } = putFlag.request;
  expect(paths(params, { projectId: 'p', key: 'new checkout' })).toEqual([]);
  for (const key of ['a\nb', 'a\u202eb']) expect(paths(params, { projectId: 'p', key })).toEqual(['key']);
});

describe('a member', () => {
  const keys = {
    p256dh: Buffer.alloc(65, 4).toString('base64url'),
    auth: Buffer.alloc(16).toString('base64url'),
  };
  const subscription = { endpoint: 'https://push.example.com/abc', expirationTime: null, keys };
  const of = (changes: object) =>
    paths(memberDefinition, { name: 'Ada', email: 'ada@example.com', ...changes });

  test('requires the email address of a member', () => {
    expect(of({})).toEqual([]);
    expect(of({ email: 'müller@köln.example' })).toEqual([]);
    for (const email of ['ada', 'ada@', 'ada@example.com\nBcc: x@example.com'])
      expect(of({ email })).toEqual(['email']);
  });

  test('requires push subscriptions of a member to use https, with keys of 65 and 16 bytes', () => {
    const push = (changes: object) => of({ pushSubscriptions: [{ ...subscription, ...changes }] });
    expect(push({})).toEqual([]);
    expect(push({ endpoint: 'http://push.example.com/abc' })).toEqual(['pushSubscriptions.0.endpoint']);
    expect(push({ endpoint: 'nonsense' })).toEqual(['pushSubscriptions.0.endpoint']);
    expect(push({ keys: { ...keys, auth: keys.p256dh } })).toEqual(['pushSubscriptions.0.keys.auth']);
    expect(push({ keys: { ...keys, p256dh: keys.auth } })).toEqual(['pushSubscriptions.0.keys.p256dh']);
  });
});

test('requires the region of a project to consist of lower-case letters and digits', () => {
  const of = (region: string) =>
    paths(projectDefinition, { companyId: 'acme', name: 'Shop', region, defaultLanguage: 'en' });
  for (const region of ['eu', 'us', 'ap1']) expect(of(region)).toEqual([]);
  for (const region of ['EU', 'eu_west', '', 'e'.repeat(21)]) expect(of(region)).toEqual(['region']);
});

test('requires a project key to be pk_, its region and 32 letters or digits', () => {
  expect(paths(projectKey, `pk_eu_${'aZ09'.repeat(8)}`)).toEqual([]);
  for (const key of [
    'pk_eu_short',
    `pk_EU_${'a'.repeat(32)}`,
    `pk_eu_${'a'.repeat(33)}`,
    `xpk_eu_${'a'.repeat(32)}`,
  ]) {
    expect(paths(projectKey, key)).toEqual(['']);
  }
});

test('requires messenger texts to be keyed by language tag, up to 100 languages', () => {
  const of = (tags: string[]) =>
    paths(messengerTextsByLanguage, Object.fromEntries(tags.map((tag) => [tag, { greeting: 'Hi' }])));
  const letters = [...'abcdefghijklmnopqrstuvwxyz'];
  const tags = letters.flatMap((first) => letters.map((second) => `${first}${second}`));
  expect(of(tags.slice(0, 100))).toEqual([]);
  expect(of(tags.slice(0, 101))).toEqual(['']);
  expect(of(['en_GB'])).toEqual(['en_GB']);
});
