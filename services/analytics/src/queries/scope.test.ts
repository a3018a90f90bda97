import { insightQuery } from '@switchboard/contracts';
import { expect, test } from 'vitest';
import { scopeOf } from './scope.ts';

test.each(['hour', 'day', 'week', 'month'])(
  'rejects a range that clocks skipped, for intervals of a %s',
  (interval) => {
    const query = insightQuery.parse({
      kind: 'lifecycle',
      range: { from: '2011-12-30', to: '2011-12-30' },
      timezone: 'Pacific/Apia',
      interval,
    });
    expect(() => scopeOf(query, 0)).toThrow('clocks in Pacific/Apia skip this whole time; use other days');
  },
);
