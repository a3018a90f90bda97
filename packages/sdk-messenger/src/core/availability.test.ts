import { describe, expect, it } from 'vitest';
import { presenceAt } from './availability.ts';

const at = (time: string, availability: unknown) => {
  const { isHere, from } = presenceAt(availability, new Date(time));
  return from === undefined ? isHere : from.toISOString();
};

describe('somebody answers', () => {
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
  ])('by hours of days at %s: %s', (time, expected) => expect(at(time, hours)).toBe(expected));

  it.each([
    ['2026-11-23T10:00:00Z', true],
    ['2026-11-24T10:00:00Z', '2026-11-25T09:00:00.000Z'],
  ])('by days at %s: %s', (time, expected) =>
    expect(at(time, { days: ['mon', 3], from: '09:00', to: '17:00' })).toBe(expected),
  );

  it('through the night', () => {
    const night = { hours: { fri: ['22:00', '02:00'] } };
    expect(at('2026-11-28T01:30:00Z', night)).toBe(true);
    expect(at('2026-11-28T02:00:00Z', night)).toBe('2026-12-04T22:00:00.000Z');
  });

  it.each([[null], [{}], ['always'], [{ note: 1 }]])('always by %j', (value) =>
    expect(at('2026-11-22T03:00:00Z', value)).toBe(true),
  );

  it.each([[false], [{ days: [] }], [{ hours: { mon: ['x', 'y'] } }]])('never by %j', (value) =>
    expect(at('2026-11-23T10:00:00Z', value)).toBe(false),
  );
});
