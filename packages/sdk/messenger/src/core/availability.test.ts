import { describe, expect, it } from 'vitest';
import { presenceAt } from './availability.ts';

const at = (time: string, availability: unknown) => {
  const { isHere, from } = presenceAt(availability, new Date(time));
  return from === undefined ? isHere : from.toISOString();
};

describe('the hours in which a team answers', () => {
  const hours = {
    timezone: 'Europe/Berlin',
    hours: {
      'mon-fri': ['09:00', '18:00'],
      sat: [
        ['10:00', '12:00'],
        ['13:00', '14:00'],
      ],
    },
    closed: ['2026-12-25'],
  };

  it.each([
    ['2026-11-23T08:00:00Z', true], // Monday, 9 in Berlin
    ['2026-11-23T07:59:30Z', '2026-11-23T08:00:00.000Z'],
    ['2026-11-23T17:00:00Z', '2026-11-24T08:00:00.000Z'],
    ['2026-11-28T11:30:00Z', '2026-11-28T12:00:00.000Z'], // Saturday, at lunch
    ['2026-11-28T13:00:00Z', '2026-11-30T08:00:00.000Z'],
    ['2026-12-24T19:00:00Z', '2026-12-26T09:00:00.000Z'], // over a closed Friday
    ['2026-03-27T18:00:00Z', '2026-03-28T09:00:00.000Z'],
    ['2026-03-28T18:00:00Z', '2026-03-30T07:00:00.000Z'], // summer time begins in between
  ])('finds the next answer by hours of days at %s: %s', (time, expected) =>
    expect(at(time, hours)).toBe(expected),
  );

  it.each([
    ['2026-11-23T10:00:00Z', true],
    ['2026-11-24T10:00:00Z', '2026-11-25T09:00:00.000Z'],
  ])('finds the next answer by days at %s: %s', (time, expected) =>
    expect(at(time, { days: ['mon', 3], from: '09:00', to: '17:00' })).toBe(expected),
  );

  it('finds the next answer for hours that last through the night', () => {
    const night = { hours: { fri: ['22:00', '02:00'] } };
    expect(at('2026-11-28T01:30:00Z', night)).toBe(true);
    expect(at('2026-11-28T02:00:00Z', night)).toBe('2026-12-04T22:00:00.000Z');
  });

  it.each([
    [null],
    [{}],
    ['always'],
    [{ note: 1 }],
    [{ hours: { 'mon-fri': ['9am', '6pm'] } }],
    [{ hours: { mon: ['09:00', '18:00'], tue: ['09:00', '18:75'] } }],
    [{ hours: { mon: ['09:00'] } }],
    [{ hours: { mon: '09:00-18:00' } }],
    [{ hours: { montag: ['09:00', '18:00'], freitag: ['09:00', '18:00'], someday: ['09:00', '18:00'] } }],
    [{ days: ['mon', 8], from: '09:00', to: '17:00' }],
    [{ days: ['mon'], from: '9', to: '17' }],
    [{ timezone: 'Europe/Berln', hours: { mon: ['09:00', '18:00'] } }],
  ])('always answers for %j', (value) => expect(at('2026-11-22T03:00:00Z', value)).toBe(true));

  it.each([
    [false],
    [{ days: [] }],
    [{ hours: {} }],
    [{ hours: { mon: [], tue: null, wed: false } }],
    [{ hours: { 'mon-sun': ['09:00', '18:00'] }, closed: everyDay('2026-11-23') }],
  ])('never answers for %j', (value) => expect(at('2026-11-23T10:00:00Z', value)).toBe(false));

  it.each([
    // Closed days are calendar days, even next to days of 23 and of 25 hours.
    ['2026-03-28T23:30:00+01:00', daily('10:00'), ['2026-03-29'], '2026-03-30T08:00:00.000Z'],
    ['2026-03-28T23:30:00+01:00', daily('10:00'), ['2026-03-30'], '2026-03-29T08:00:00.000Z'],
    ['2026-10-25T00:30:00+02:00', weekday('mon', 'tue'), ['2026-10-26'], '2026-10-27T09:00:00.000Z'],
    ['2026-10-24T23:30:00+02:00', daily('10:00'), ['2026-10-25'], '2026-10-26T09:00:00.000Z'],
    // Hours that the clock skips begin when it is put forward. Hours that it repeats begin the first time.
    ['2026-03-29T01:00:00+01:00', daily('02:30'), [], '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T00:00:00+02:00', daily('02:30'), [], '2026-10-25T00:30:00.000Z'],
    ['2026-10-25T02:15:00+01:00', daily('02:30'), [], '2026-10-25T01:30:00.000Z'],
    ['2026-10-25T22:00:00+01:00', daily('00:00', '01:00'), [], '2026-10-25T23:00:00.000Z'],
  ])(
    'finds the next answer beside a clock change at %s by %j without %j: %s',
    (time, hours, closed, expected) =>
      expect(at(time, { timezone: 'Europe/Berlin', hours, closed })).toBe(expected),
  );

  it('finds the first minute of the next hours, on every day of a year', () => {
    const zones = [
      'Europe/Berlin',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kolkata',
      'Pacific/Apia',
    ];
    for (const timezone of zones)
      for (let day = 0; day < 366; day += 1) {
        const now = new Date(Date.UTC(2026, 0, 1 + day, day % 24, 17));
        const isHere = (moment: number) =>
          presenceAt({ timezone, hours: daily('02:30', '03:30') }, new Date(moment)).isHere;
        const { from } = presenceAt({ timezone, hours: daily('02:30', '03:30') }, now);
        if (from === undefined) continue;
        expect(from.getTime()).toBeGreaterThan(now.getTime());
        expect([isHere(from.getTime() - 60_000), isHere(from.getTime())], from.toISOString()).toEqual([
          false,
          true,
        ]);
      }
  });
});

function daily(from: string, to = '12:00') {
  return { 'mon-sun': [from, to] };
}

function weekday(...days: string[]) {
  return Object.fromEntries(days.map((day) => [day, ['10:00', '12:00']]));
}

function everyDay(first: string) {
  const day = (ahead: number) => new Date(Date.parse(first) + ahead * 86_400_000).toISOString().slice(0, 10);
  return Array.from({ length: 20 }, (_, ahead) => day(ahead));
}
