import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Attribute, attributeText, parseAttribute } from './attributes.ts';

const name = fc.oneof(
  fc.string(),
  fc.constantFrom('plan', 'a.b', 'context.os', 'property.x', 'group.company.plan', 'distinct_id', ''),
  fc.array(fc.constantFrom('group', 'trait', '.', '\\', 'x')).map((parts) => parts.join('')),
);
const filled = name.filter((text) => text !== '');
const attribute: fc.Arbitrary<Attribute> = fc.oneof(
  fc.record({ of: fc.constantFrom('distinct_id' as const, 'session_id' as const) }),
  fc.record({ of: fc.constantFrom('property' as const, 'context' as const, 'trait' as const), name }),
  fc.record({ of: fc.constant('group' as const), type: filled, name: filled }),
);

test('parses the text of every attribute back to the attribute', () => {
  fc.assert(
    fc.property(attribute, (one) => {
      expect(parseAttribute(attributeText(one))).toEqual(one);
    }),
  );
});

test.each([
  ['plan', { of: 'property', name: 'plan' }],
  ['property.context.os', { of: 'property', name: 'context.os' }],
  ['context.os', { of: 'context', name: 'os' }],
  ['trait.a.b', { of: 'trait', name: 'a.b' }],
  ['group.company.plan.name', { of: 'group', type: 'company', name: 'plan.name' }],
  [String.raw`group.acme\.com.plan`, { of: 'group', type: 'acme.com', name: 'plan' }],
  [String.raw`group.a\b\\.plan`, { of: 'group', type: 'a\\b\\', name: 'plan' }],
  ['group.company', { of: 'property', name: 'group.company' }],
  ['session_id', { of: 'session_id' }],
])('reads the attribute %s', (text, expected) => {
  expect(parseAttribute(text)).toEqual(expected);
});
