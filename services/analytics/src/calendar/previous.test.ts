import type { InsightInterval, InsightRange } from '@switchboard/contracts';
import { expect, test } from 'vitest';
import { calendarOf, spanOf } from './calendar.ts';
import { previousOf } from './previous.ts';

/** A Tuesday. */
const NOW = Date.parse('2026-11-24T13:20:00Z');

function previous(range: InsightRange, interval: InsightInterval, timeZone = 'UTC', now = NOW) {
  const span = spanOf(range, interval, timeZone, now);
  const calendar = calendarOf({ span, interval, timeZone });
  const { calendar: before, places, isComplete } = previousOf({ range, interval, timeZone, calendar });
  const unit = (number: number) => new Date(number * before.unitMs).toISOString();
  const length = before.unitMs === 3_600_000 ? 'YYYY-MM-DDTHH'.length : 'YYYY-MM-DD'.length;
  return {
    period: [before.first, before.last].map((number) => unit(number).slice(0, length)),
    pairs: calendar.labels.map((label, index) => [label, before.labels[places[index] ?? -1]]),
    isComplete,
  };
}

test.each<[InsightRange, InsightInterval, [from: string, to: string]]>([
  [{ from: '2026-11-18', to: '2026-11-22' }, 'hour', ['2026-11-13T00', '2026-11-17T23']],
  [{ from: '2026-11-18', to: '2026-11-22' }, 'day', ['2026-11-13', '2026-11-17']],
  [{ from: '2026-11-18', to: '2026-11-22' }, 'week', ['2026-11-11', '2026-11-15']],
  [{ from: '2026-11-18', to: '2026-11-22' }, 'month', ['2026-10-18', '2026-10-22']],
  [{ from: '2026-11-15', to: '2026-11-22' }, 'week', ['2026-11-01', '2026-11-08']],
  [{ from: '2026-03-10', to: '2026-04-05' }, 'month', ['2026-02-10', '2026-03-05']],
  [{ from: '2026-03-10', to: '2026-04-20' }, 'month', ['2026-01-10', '2026-02-20']],
  [{ from: '2026-03-30', to: '2026-03-31' }, 'month', ['2026-02-28', '2026-02-28']],
  [{ from: '2026-03-01', to: '2026-03-31' }, 'day', ['2026-02-01', '2026-02-28']],
  [{ from: '2026-02-01', to: '2026-03-31' }, 'week', ['2025-12-01', '2026-01-31']],
  [{ last: 7, unit: 'day' }, 'day', ['2026-11-11', '2026-11-17']],
  [{ last: 10, unit: 'day' }, 'week', ['2026-11-01', '2026-11-10']],
  [{ last: 1, unit: 'day' }, 'hour', ['2026-11-23T00', '2026-11-23T13']],
  [{ last: 5, unit: 'hour' }, 'hour', ['2026-11-24T04', '2026-11-24T08']],
  [{ last: 5, unit: 'hour' }, 'day', ['2026-11-23T09', '2026-11-23T13']],
  [{ last: 1, unit: 'week' }, 'day', ['2026-11-16', '2026-11-17']],
  [{ last: 4, unit: 'week' }, 'week', ['2026-10-05', '2026-10-27']],
  [{ last: 1, unit: 'month' }, 'day', ['2026-10-01', '2026-10-24']],
  [{ last: 3, unit: 'month' }, 'week', ['2026-06-01', '2026-08-24']],
  [{ last: 4, unit: 'week' }, 'month', ['2026-10-02', '2026-10-24']],
])('finds the period before %o by %s', (range, interval, period) => {
  expect(previous(range, interval).period).toEqual(period);
});

test.each<[string, InsightInterval, [from: string, to: string]]>([
  ['2026-02-28T12:00:00Z', 'day', ['2026-01-01', '2026-01-31']],
  ['2026-03-30T12:00:00Z', 'day', ['2026-02-01', '2026-02-28']],
  ['2026-03-15T12:00:00Z', 'hour', ['2026-02-01T00', '2026-02-15T12']],
])('finds the period before the month that runs at %s by %s', (now, interval, period) => {
  expect(previous({ last: 1, unit: 'month' }, interval, 'UTC', Date.parse(now)).period).toEqual(period);
});

test('compares hours of a day that the previous month lacks with those of its last day', () => {
  const now = Date.parse('2026-03-30T05:00:00Z');
  const { period } = previous({ last: 12, unit: 'hour' }, 'month', 'UTC', now);
  expect(period).toEqual(['2026-02-28T00', '2026-02-28T23']);
});

test('compares buckets with those of the same weekdays', () => {
  expect(previous({ last: 2, unit: 'week' }, 'week')).toMatchObject({
    pairs: [
      ['2026-11-16', '2026-11-02'],
      ['2026-11-23', '2026-11-09'],
    ],
    isComplete: true,
  });
});

test('compares the days of a month with the same days of a month that has more or fewer', () => {
  const { pairs, isComplete } = previous({ from: '2026-02-01', to: '2026-03-31' }, 'day');
  expect(pairs.slice(27, 29)).toEqual([
    ['2026-02-28', '2025-12-28'],
    ['2026-03-01', '2026-01-01'],
  ]);
  expect(isComplete).toBe(false);
  const march = previous({ from: '2026-03-01', to: '2026-03-31' }, 'day');
  expect(march.pairs.slice(27, 29)).toEqual([
    ['2026-03-28', '2026-02-28'],
    ['2026-03-29', undefined],
  ]);
  expect(march.isComplete).toBe(true);
});

test('compares the weeks of months in their order, also when the previous period has more weeks', () => {
  const { pairs, isComplete } = previous({ from: '2026-02-01', to: '2026-02-28' }, 'week');
  expect(pairs).toEqual([
    ['2026-01-26', '2025-12-29'],
    ['2026-02-02', '2026-01-05'],
    ['2026-02-09', '2026-01-12'],
    ['2026-02-16', '2026-01-19'],
    ['2026-02-23', '2026-01-26'],
  ]);
  expect(isComplete).toBe(true);
  expect(previous({ from: '2027-02-01', to: '2027-02-28' }, 'week').isComplete).toBe(false);
});

test('leaves out an hour that the clocks skip, and compares the others with the same hours', () => {
  const berlin = (day: string) => previous({ from: day, to: day }, 'hour', 'Europe/Berlin');
  const spring = berlin('2026-03-29');
  expect(spring.pairs.slice(1, 3)).toEqual([
    ['2026-03-29T01:00', '2026-03-28T01:00'],
    ['2026-03-29T03:00', '2026-03-28T03:00'],
  ]);
  expect(spring.isComplete).toBe(false);
  const after = berlin('2026-03-30');
  expect(after.pairs.slice(2, 4)).toEqual([
    ['2026-03-30T02:00', undefined],
    ['2026-03-30T03:00', '2026-03-29T03:00'],
  ]);
  expect(after.isComplete).toBe(true);
  expect(berlin('2026-10-25')).toMatchObject({ isComplete: true });
});
