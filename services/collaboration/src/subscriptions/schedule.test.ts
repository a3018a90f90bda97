import type { SubscriptionSchedule } from '@switchboard/contracts';
import { describe, expect, it } from 'vitest';
import { nextTime } from './schedule.ts';

const timesOf = (schedule: SubscriptionSchedule, after: string, count: number) => {
  const times: string[] = [];
  for (let at = new Date(after); times.length < count; ) {
    at = nextTime(schedule, at);
    times.push(at.toISOString().replace(':00.000Z', ''));
  }
  return times;
};

describe('the times of a schedule', () => {
  it('are at the same local time before and after daylight saving time begins', () => {
    expect(
      timesOf({ every: 'day', at: '08:30', timeZone: 'Europe/Berlin' }, '2026-03-27T12:00:00Z', 3),
    ).toEqual(['2026-03-28T07:30', '2026-03-29T06:30', '2026-03-30T06:30']);
    expect(
      timesOf({ every: 'day', at: '08:30', timeZone: 'America/New_York' }, '2026-10-31T00:00:00Z', 2),
    ).toEqual(['2026-10-31T12:30', '2026-11-01T13:30']);
  });

  it('move forward over a skipped hour, and are the first of a repeated hour', () => {
    const night = { every: 'day', at: '02:30', timeZone: 'Europe/Berlin' } as const;
    expect(timesOf(night, '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-29T01:30', '2026-03-30T00:30']);
    expect(timesOf(night, '2026-10-24T12:00:00Z', 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    // At midnight there is no 00:15 on this day.
    const midnight = { every: 'day', at: '00:15', timeZone: 'Africa/Cairo' } as const;
    expect(timesOf(midnight, '2026-04-23T12:00:00Z', 2)).toEqual(['2026-04-23T22:15', '2026-04-24T21:15']);
  });

  it('are on weekdays, on one day of the week, or on one day of the month', () => {
    const utc = { at: '09:00', timeZone: 'UTC' };
    expect(timesOf({ every: 'weekday', ...utc }, '2026-03-05T10:00:00Z', 3)).toEqual([
      '2026-03-06T09:00',
      '2026-03-09T09:00',
      '2026-03-10T09:00',
    ]);
    expect(timesOf({ every: 'week', on: 7, ...utc }, '2026-03-01T09:00:00Z', 2)).toEqual([
      '2026-03-08T09:00',
      '2026-03-15T09:00',
    ]);
    expect(timesOf({ every: 'month', on: 31, ...utc }, '2027-12-31T09:00:00Z', 4)).toEqual([
      '2028-01-31T09:00',
      '2028-02-29T09:00',
      '2028-03-31T09:00',
      '2028-04-30T09:00',
    ]);
  });

  it('are on the local day, also where it is not the day in UTC', () => {
    expect(
      timesOf({ every: 'week', on: 1, at: '07:00', timeZone: 'Pacific/Auckland' }, '2026-06-01T00:00:00Z', 1),
    ).toEqual(['2026-06-07T19:00']);
    expect(
      timesOf(
        { every: 'month', on: 1, at: '20:00', timeZone: 'America/Los_Angeles' },
        '2026-06-15T00:00:00Z',
        1,
      ),
    ).toEqual(['2026-07-02T03:00']);
  });
});
