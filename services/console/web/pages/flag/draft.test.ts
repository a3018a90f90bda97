import { expect, it } from 'vitest';
import type { Definition } from '../flags/words.ts';
import { definitionOf, flagDraft, merged, moved, problemsOf, withType } from './draft.ts';

const FLAG: Definition = {
  enabled: true,
  rolloutPercentage: 10,
  type: 'json',
  rules: [
    { name: 'Staff', targeting: [{ attribute: 'staff', op: 'eq', value: true }], variation: 'b' },
    { targeting: [{ attribute: 'tags', op: 'contains', value: 5 }], rolloutPercentage: 50 },
  ],
  targeting: [{ attribute: 'address', op: 'eq', value: { city: 'Rome', zip: ['00100'] } }],
  variations: [
    { key: 'a', value: { size: 1 }, weight: 1 },
    { key: 'b', value: '1', weight: 0 },
  ],
  prerequisites: [{ flagKey: 'base', variationKey: 'on' }],
};

it('keeps every value of a flag that is opened and saved', () => {
  expect(definitionOf(flagDraft(FLAG))).toEqual(FLAG);
});

it('keeps the changes of others to properties that a person did not touch', () => {
  const mine = { ...FLAG, rolloutPercentage: 20 };
  const theirs = { ...FLAG, enabled: false, rules: [] };
  const { rules: _, ...rest } = FLAG;
  expect(definitionOf(flagDraft(merged(FLAG, mine, theirs)))).toEqual({
    ...rest,
    enabled: false,
    rolloutPercentage: 20,
  });
});

it('rejects an incomplete condition, which would include everyone', () => {
  const draft = flagDraft({ enabled: true, rolloutPercentage: 100, rules: [{ targeting: [] }] });
  const [rule] = draft.rules;
  rule?.targeting.push({ attribute: 'plan', op: 'eq', value: '' });
  expect(problemsOf(draft, 'a', [])).toEqual([
    { path: 'rules[0].targeting', problem: 'a condition is incomplete' },
  ]);
});

it('rejects values that do not have the type, or that JSON would round', () => {
  const variation = (value: string) => ({ id: value, key: value, value, weight: 1 });
  const draft = flagDraft({ enabled: true, rolloutPercentage: 100, type: 'number' });
  draft.variations = [variation('1'), variation('one'), variation('9007199254740993')];
  expect(problemsOf(draft, 'a', []).map(({ path }) => path)).toEqual([
    'variations[1].value',
    'variations[2].value',
  ]);
});

it('keeps values when the type changes', () => {
  const typed = withType(
    flagDraft({ ...FLAG, type: 'string', variations: [{ key: 'a', value: 'x', weight: 1 }] }),
    'json',
  );
  expect(definitionOf(typed).variations).toEqual([{ key: 'a', value: 'x', weight: 1 }]);
});

it('moves an entry, and keeps the list at its ends', () => {
  expect(moved(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a']);
  expect(moved(['a', 'b'], 0, -1)).toEqual(['a', 'b']);
  expect(moved(['a', 'b'], 1, 2)).toEqual(['a', 'b']);
});
