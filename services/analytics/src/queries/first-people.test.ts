import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFirstPeople } from './first-people.ts';

test('keeps the first people after an id in the order of their bytes', () => {
  const id = fc.string({ unit: 'binary', minLength: 1, maxLength: 3 });
  const after = fc.option(id);
  fc.assert(
    fc.property(
      fc.uniqueArray(id, { maxLength: 60 }),
      after,
      fc.integer({ min: 1, max: 9 }),
      (ids, start, limit) => {
        const first = createFirstPeople({ after: start, limit });
        for (const one of ids) first.add(one);
        const sorted = ids
          .filter((one) => start === null || Buffer.compare(Buffer.from(one), Buffer.from(start)) > 0)
          .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
        expect(first.ids()).toEqual(sorted.slice(0, limit));
      },
    ),
  );
});
