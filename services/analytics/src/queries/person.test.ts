import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { queryRunner } from '../testing/query-runner.ts';
import { enginesForTests, type TestEngine } from '../testing/table.ts';

const range = { from: '2026-03-03', to: '2026-03-03' };

describe.each(await enginesForTests())('$name', ({ isMissing, start }) => {
  let started: TestEngine;
  beforeAll(async () => {
    if (!isMissing) started = await start();
  });
  afterAll(() => started?.stop());
  const it = test.skipIf(isMissing);

  /** A visitor who looks around, signs in and buys. */
  const events = [
    { at: '2026-03-03T12:00:00Z', name: 'seen', person: 'visitor' },
    { at: '2026-03-03T12:01:00Z', name: 'bought', person: 'ada' },
    { at: '2026-03-03T12:02:00Z', name: 'seen', person: 'bob' },
  ];
  const people = { ada: { traits: { plan: 'pro' }, groups: {} } };
  const joined = { people, personIds: { visitor: 'ada' } };
  const funnel = { kind: 'funnel', range, steps: [{ event: 'seen' }, { event: 'bought' }] };
  const where = (op: string, value: unknown) => [{ attribute: 'distinct_id', op, value }];

  it('follows a person across the ids that are joined', async () => {
    const apart = await queryRunner(started, events, { people });
    expect(await apart(funnel)).toMatchObject({ steps: [{ count: 2 }, { count: 0 }] });
    const ask = await queryRunner(started, events, joined);
    expect(await ask(funnel)).toMatchObject({ steps: [{ count: 2 }, { count: 1 }] });
  });

  it("breaks the events of each of a person's ids down by the person's traits", async () => {
    const ask = await queryRunner(started, events, joined);
    const breakdown = { property: 'trait.plan' };
    expect(await ask({ kind: 'trends', range, series: [{ event: 'seen' }], breakdown })).toMatchObject({
      series: [
        { name: 'pro', values: [1] },
        { name: '(none)', values: [1] },
      ],
    });
  });

  it.each([
    ['eq', 'visitor', [1, 1]],
    ['eq', 'ada', [1, 1]],
    ['in', ['visitor', 'unknown'], [1, 1]],
    ['neq', 'visitor', [1, 0]],
    ['not_in', ['ada'], [1, 0]],
    ['contains', 'visit', [1, 1]],
    ['is_set', undefined, [2, 1]],
    ['is_not_set', undefined, [0, 0]],
    ['neq', null, [0, 0]],
  ])('compares distinct_id %s %j with every id of a person', async (op, value, counts) => {
    const ask = await queryRunner(started, events, joined);
    const report = await ask({ ...funnel, where: where(op, value) });
    expect(report).toMatchObject({ steps: counts.map((count) => ({ count })) });
  });

  it('finds the members of a cohort by any id', async () => {
    const cohorts = new Map([
      ['listed', { match: [], distinctIds: ['visitor'] }],
      [
        'others',
        { match: [{ attribute: 'distinct_id', op: 'neq' as const, value: 'visitor' }], distinctIds: [] },
      ],
    ]);
    const ask = await queryRunner(started, events, { ...joined, cohorts });
    expect(await ask({ ...funnel, cohort: 'listed' })).toMatchObject({ steps: [{ count: 1 }, { count: 1 }] });
    expect(await ask({ ...funnel, cohort: 'others' })).toMatchObject({ steps: [{ count: 1 }, { count: 0 }] });
  });
});
