import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  compileCohorts,
  compileRuleset,
  evaluateAll,
  evaluateFlag,
  type Flag,
  memberships,
} from './index.ts';
import { damaged, flags, users } from './testing/arbitraries.ts';

// Data that a server or a file may contain: valid entries, entries with one part replaced, and arbitrary values.
const rulesets = fc.oneof(
  { weight: 3, arbitrary: flags },
  fc.array(damaged(flags.map(([first]) => first ?? {})), { maxLength: 5 }).map(asRuleset),
  fc.array(fc.jsonValue()).map(asRuleset),
);

function asRuleset(json: unknown[]): Flag[] {
  return json as Flag[];
}

test('any JSON ruleset and any user give a decision for every key', () => {
  fc.assert(
    fc.property(rulesets, users, (entries, user) => {
      const answer = evaluateAll(compileRuleset(entries), user);
      const keys = entries.map((entry) => entry?.key).filter((key) => typeof key === 'string');
      expect(new Set(Object.keys(answer.flags))).toEqual(new Set(keys));
      expect(Object.keys(answer.reasons)).toEqual(Object.keys(answer.flags));
      for (const [key, reason] of Object.entries(answer.reasons)) {
        if (reason === 'MATCH') continue;
        expect([false, null]).toContain(answer.flags[key]);
        expect(Object.hasOwn(answer.variants, key)).toBe(false);
      }
    }),
    { numRuns: 1000 },
  );
});

test('a flag with rules decides as the first flag that has the fields of one rule', () => {
  fc.assert(
    fc.property(flags, users, (entries, user) => {
      for (const { rules = [], prerequisites: _, ...flag } of entries) {
        const variations = flag.variations ?? [];
        const isSound = rules.every(
          ({ variation: key }) => !key || variations.some((one) => one.key === key),
        );
        const decide = (entry: Flag) => evaluateFlag(compileRuleset([entry]), flag.key, user);
        const actual = decide({ ...flag, rules });
        if (!isSound && flag.enabled) {
          expect(actual?.reason).toBe('ERROR');
          continue;
        }
        const own = decide(flag);
        const decisions = rules.map(({ targeting, rolloutPercentage = 100, variation }) => {
          const only = variations.find(({ key }) => key === variation);
          const served = only === undefined ? variations : [{ ...only, weight: 1 }];
          return decide({ ...flag, targeting, rolloutPercentage, variations: served });
        });
        const isSettled = own?.reason === 'DISABLED' || own?.reason === 'ERROR';
        const first = isSettled ? -1 : decisions.findIndex((one) => one?.reason === 'MATCH');
        expect(actual).toEqual(decisions[first] ?? own);
        const rule = first < 0 ? undefined : (rules[first]?.name ?? `rules[${first}]`);
        const ruleset = compileRuleset([{ ...flag, rules }]);
        expect(evaluateAll(ruleset, user).rules[flag.key]).toBe(rule);
      }
    }),
    { numRuns: 1000 },
  );
});

test('evaluating one flag gives the same decision as evaluating all', () => {
  fc.assert(
    fc.property(rulesets, users, (entries, user) => {
      const ruleset = compileRuleset(entries);
      const all = evaluateAll(ruleset, user);
      for (const key of Object.keys(all.flags)) {
        const decision = evaluateFlag(ruleset, key, user);
        expect(decision?.value).toBe(all.flags[key]);
        expect(decision?.variant ?? undefined).toBe(all.variants[key]);
        expect(decision?.reason).toBe(all.reasons[key]);
      }
    }),
    { numRuns: 500 },
  );
});

test('a ruleset gives the same decisions after a JSON round trip', () => {
  fc.assert(
    fc.property(rulesets, users, (entries, user) => {
      const received: Flag[] = JSON.parse(JSON.stringify(entries));
      const sent = evaluateAll(compileRuleset(entries), user);
      expect(JSON.stringify(evaluateAll(compileRuleset(received), user))).toBe(JSON.stringify(sent));
    }),
    { numRuns: 500 },
  );
});

test('a user gets the same decisions after a JSON round trip', () => {
  fc.assert(
    fc.property(flags, users, (entries, user) => {
      const ruleset = compileRuleset(entries);
      const received = { ...JSON.parse(JSON.stringify(user)), cohorts: user.cohorts };
      const distinctId = user.distinctId;
      expect(evaluateAll(ruleset, { ...received, distinctId })).toEqual(evaluateAll(ruleset, user));
    }),
    { numRuns: 500 },
  );
});

test('cohort membership equals a match of the clauses of the cohort', () => {
  const inCohort = [{ attribute: 'cohort', op: 'in_cohort', value: 'c' }] as const;
  fc.assert(
    fc.property(flags, users, (entries, user) => {
      for (const { key, targeting = [] } of entries) {
        if (targeting.length === 0 || targeting.some(({ op }) => op.endsWith('in_cohort'))) continue;
        const flag = { key, enabled: true, rolloutPercentage: 100 };
        const cohorts = new Set(memberships(compileCohorts([{ id: 'c', match: targeting }]), user));
        const direct = evaluateFlag(compileRuleset([{ ...flag, targeting }]), key, user);
        const byCohort = compileRuleset([{ ...flag, targeting: inCohort }]);
        expect(evaluateFlag(byCohort, key, { ...user, cohorts })?.reason).toBe(direct?.reason);
      }
    }),
    { numRuns: 500 },
  );
});
