import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explain, type Flag } from './index.ts';
import { flags, users } from './testing/arbitraries.ts';

const REASONS = {
  enabled: 'DISABLED',
  prerequisite: 'PREREQUISITE_FAILED',
  targeting: 'TARGETING_MISS',
  rollout: 'ROLLOUT_MISS',
  rule: undefined,
};

test('the last step of an explanation agrees with the decision', () => {
  fc.assert(
    fc.property(flags, users, (entries, user) => {
      for (const { key } of entries) {
        const { decision, steps } = explain(entries, key, user) ?? {};
        const last = steps?.at(-1);
        if (last === undefined || decision === undefined) throw new Error('no explanation');
        if (decision.reason === 'ERROR') continue;
        expect(decision.reason).toBe(last.passed ? 'MATCH' : REASONS[last.check]);
        const failed = steps?.slice(0, -1).filter(({ check, passed }) => check !== 'rule' && !passed);
        expect(failed).toEqual([]);
      }
    }),
    { numRuns: 1000 },
  );
});

test('an explanation names the clause that failed, and the value of the person', () => {
  const targeting = [
    { attribute: 'plan', op: 'eq', value: 'pro' },
    { attribute: 'email', op: 'contains', value: '@example.com' },
  ] as const;
  const flag: Flag = { key: 'a', enabled: true, rolloutPercentage: 100, rules: [{ targeting }] };
  const user = { distinctId: 'ada', traits: { plan: 'free', email: 'a@example.com' }, cohorts: new Set('') };
  expect(explain([flag], 'a', user)?.steps[1]).toMatchObject({
    check: 'rule',
    passed: false,
    clauses: [
      { clause: targeting[0], value: 'free', passed: false },
      { clause: targeting[1], value: 'a@example.com', passed: true },
    ],
  });
  expect(explain([flag], 'b', user)).toBeUndefined();
});
