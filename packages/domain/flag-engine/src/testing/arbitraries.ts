import fc from 'fast-check';
import type { Clause, Flag, User } from '../index.ts';

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e', '__proto__', 'constructor', 'toString', '', 'café');
const attributes = fc.constantFrom(
  'plan',
  'age',
  'distinct_id',
  'group.company.size',
  'group.x',
  '__proto__',
);
const cohortIds = fc.constantFrom('beta', 'staff', '__proto__');
const operators = fc.constantFrom(
  ...(['eq', 'neq', 'in', 'not_in', 'contains', 'gt', 'gte', 'lt', 'lte'] as const),
  ...(['is_set', 'is_not_set', 'in_cohort', 'not_in_cohort'] as const),
);
const scalars = fc.oneof(
  fc.constantFrom<unknown>('pro', 'free', '12', 12, '12.0', true, 'true', null, 0, -0, ''),
  fc.constantFrom<unknown>('1.2.3', '1.2.3-rc.1', '2026-03-01', '2026-03-01T09:30:00+02:00', 'beta'),
);

export const values = fc.oneof(scalars, fc.array(scalars, { maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }));

export const clauses: fc.Arbitrary<Clause> = fc.record(
  { attribute: attributes, op: operators, value: values },
  { requiredKeys: ['attribute', 'op'] },
);

const variationKeys = ['red', 'blue', 'off', '__proto__'];
const percentages = fc.oneof(fc.constant(100), fc.integer({ min: 0, max: 100 }));
const rules = fc.array(
  fc.record(
    {
      name: fc.constantFrom('staff', 'beta', '__proto__'),
      targeting: fc.array(clauses, { maxLength: 2 }),
      rolloutPercentage: percentages,
      variation: fc.constantFrom(...variationKeys),
    },
    { requiredKeys: ['targeting'] },
  ),
  { maxLength: 3 },
);

/** Well-formed entries of a snapshot, with possibly unknown or cyclic references. */
export const flags: fc.Arbitrary<Flag[]> = fc.uniqueArray(
  fc.record(
    {
      key: keys,
      enabled: fc.oneof(fc.constant(true), fc.boolean()),
      rolloutPercentage: percentages,
      rules,
      type: fc.constantFrom('boolean', 'string', 'number', 'json'),
      targeting: fc.array(clauses, { maxLength: 2 }),
      variations: fc.array(
        fc.record({
          key: fc.constantFrom(...variationKeys),
          value: values,
          weight: fc.nat({ max: 9 }),
        }),
        { maxLength: 3 },
      ),
      prerequisites: fc.array(
        fc.record({ flagKey: keys, variationKey: fc.constantFrom('on', 'off', 'red', 'blue') }),
        { maxLength: 2 },
      ),
    },
    { requiredKeys: ['key', 'enabled', 'rolloutPercentage'] },
  ),
  { selector: (flag) => flag.key, maxLength: 10 },
);

/** Generates JSON documents in which one value is replaced by another. */
export function damaged<T>(sound: fc.Arbitrary<T>): fc.Arbitrary<unknown> {
  return fc
    .tuple(sound, fc.jsonValue({ maxDepth: 1 }), fc.nat())
    .map(([document, replacement, choice]) => replaceOne(document, replacement, choice));
}

function replaceOne(document: unknown, replacement: unknown, choice: number): unknown {
  let seen = 0;
  const places = JSON.stringify(document).match(/[,:[]/g)?.length ?? 1;
  return JSON.parse(
    JSON.stringify(document, (_name, value) => (seen++ === (choice % places) + 1 ? replacement : value)),
  );
}

export const users: fc.Arbitrary<User> = fc.record({
  distinctId: fc.oneof(fc.string(), fc.constantFrom('', 'anna', '12', '\ud800')),
  traits: fc.dictionary(fc.constantFrom('plan', 'age', '__proto__', 'group.x', 'distinct_id'), values),
  groups: fc.dictionary(
    fc.constantFrom('company', '__proto__'),
    fc.dictionary(fc.constantFrom('size', '__proto__'), values),
  ),
  cohorts: fc.array(cohortIds).map((ids) => new Set(ids)),
  stateUnavailable: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.boolean()),
});
