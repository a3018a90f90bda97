import { expect, test } from 'vitest';
import { emptyDraft, emptySeries } from './draft.ts';
import { search } from './search.ts';

test('adds to a query what its address leaves out', () => {
  const { q } = search({
    q: { kind: 'trends', range: { last: 14 }, series: [{ event: 'order placed' }] },
  });
  const { range } = emptyDraft();
  expect(q).toEqual({
    ...emptyDraft(),
    range: { ...range, last: 14 },
    series: [emptySeries('order placed')],
  });
});

test.each([[undefined], ['trends'], [{ kind: 'trends' }], [{ kind: 'trends', series: 1 }]])(
  'ignores the query %j of an address',
  (q) => {
    expect(search({ q }).q).toBeUndefined();
  },
);
