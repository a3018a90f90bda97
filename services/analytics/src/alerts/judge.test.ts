import { type AlertRule, alertRule } from '@switchboard/contracts';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { advance, judge, type Points, type Progress, placesOf, QUIET } from './judge.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-01-05T00:00Z');
const direction = fc.constantFrom('up', 'down', 'both');
const limit = fc.integer({ min: -20, max: 60 });
const rules: fc.Arbitrary<AlertRule> = fc
  .oneof(
    fc.record({ kind: fc.constant('threshold'), above: limit, room: fc.nat(9) }).map(({ room, ...rule }) => ({
      ...rule,
      recoverAt: rule.above - room,
    })),
    fc.record({ kind: fc.constant('threshold'), below: limit }),
    fc.record({
      kind: fc.constant('change'),
      direction,
      percent: fc.integer({ min: 1, max: 120 }),
      against: fc.constantFrom('previous', 'day', 'week'),
    }),
    fc.constant({ kind: 'missing' }),
    fc.record({ kind: fc.constant('anomaly'), direction, sensitivity: fc.constantFrom(1, 3, 4) }),
  )
  .map((rule) => alertRule.parse(rule));

/** Returns whether hour `i` is bad (true), good (false) or neither (null). */
function isBad(rule: AlertRule, values: readonly (number | null)[], i: number): boolean | null {
  const value = values[i] ?? null;
  if (rule.kind === 'missing') return !value;
  if (value === null) return null;
  const beyond = (by: number, most: number, way: string) =>
    way === 'up' ? by >= most : way === 'down' ? by <= -most : Math.abs(by) >= most;
  if (rule.kind === 'threshold') {
    if (rule.above !== undefined)
      return value > rule.above || (value <= (rule.recoverAt ?? rule.above) ? false : null);
    return value < Number(rule.below);
  }
  if (rule.kind === 'change') {
    const before = values[i - { previous: 1, day: 24, week: 168 }[rule.against ?? 'previous']] ?? 0;
    return before === 0
      ? null
      : beyond((100 * (value - before)) / Math.abs(before), rule.percent, rule.direction);
  }
  const middle = (all: number[]) => {
    const sorted = all.toSorted((a, b) => a - b);
    const half = sorted.length >> 1;
    return sorted.length % 2 ? Number(sorted[half]) : (Number(sorted[half - 1]) + Number(sorted[half])) / 2;
  };
  const weeks = [1, 2, 3, 4, 5, 6, 7, 8].map((week) => values[i - 168 * week] ?? null);
  const known = weeks.filter((one) => one !== null);
  if (known.length < 4) return null;
  const median = middle(known);
  const scale = Math.max(
    1.4826 * middle(known.map((one) => Math.abs(one - median))),
    0.05 * Math.abs(median),
  );
  if (scale === 0) return value === median ? false : null;
  return beyond((value - median) / scale, rule.sensitivity ?? 4, rule.direction);
}

const values = fc.array(fc.option(fc.integer({ min: -5, max: 40 }), { freq: 6 }), {
  minLength: 1,
  maxLength: 1_500,
});

it('judges every hour as the reference does', () => {
  fc.assert(
    fc.property(
      rules,
      values,
      fc.array(fc.nat(1_499), { minLength: 1, maxLength: 20 }),
      (rule, of, picked) => {
        const labels = of.map((_, hour) => new Date(START + hour * HOUR_MS).toISOString().slice(0, 16));
        const points: Points = { interval: 'hour', labels, places: placesOf(labels), values: of };
        for (const index of picked.map((one) => one % of.length)) {
          const { verdict } = judge(rule, points, index);
          const shown = { bad: true, good: false, between: null, unknown: null }[verdict];
          expect([index, shown]).toEqual([index, isBad(rule, of, index)]);
        }
      },
    ),
    { numRuns: 300 },
  );
});

it('begins and ends an incident only after as many buckets in a row as asked, whatever comes before', () => {
  const verdicts = fc.array(fc.constantFrom('bad', 'good', 'between', 'unknown'), { maxLength: 60 });
  const counts = fc.record({
    fireAfter: fc.integer({ min: 1, max: 4 }),
    recoverAfter: fc.integer({ min: 1, max: 4 }),
  });
  fc.assert(
    fc.property(verdicts, counts, (all, needed) => {
      let progress: Progress = QUIET;
      let isFiring = false;
      const since: string[] = [];
      for (const verdict of all) {
        progress = advance(progress, verdict, needed);
        if (verdict !== 'unknown') since.push(verdict);
        const [wanted, count] = isFiring
          ? (['good', needed.recoverAfter] as const)
          : (['bad', needed.fireAfter] as const);
        if (since.length >= count && since.slice(-count).every((one) => one === wanted)) {
          isFiring = !isFiring;
          since.length = 0;
        }
        expect(progress.isFiring).toBe(isFiring);
      }
    }),
  );
});

it('compares days and weeks by the clock where summer time begins', () => {
  const labels = ['2026-03-28T02:00', '2026-03-28T03:00', '2026-03-29T01:00', '2026-03-29T03:00'];
  const points: Points = { interval: 'hour', labels, places: placesOf(labels), values: [1, 100, 1, 40] };
  const rule: AlertRule = { kind: 'change', direction: 'down', percent: 50, against: 'day' };
  expect(judge(rule, points, 3)).toEqual({ verdict: 'bad', expected: 100 });
});
