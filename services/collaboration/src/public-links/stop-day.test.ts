import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOn, requireStopDay, stopMoment, utcDay } from './stop-day.ts';

const isTaken = (expiresOn: string, now: string) => {
  try {
    requireStopDay(expiresOn, new Date(now));
    return true;
  } catch {
    return false;
  }
};

describe('a stop day', () => {
  it.each([
    ['the day itself', '2026-03-01T00:00:00.000Z', '2026-03-01', false],
    ['tomorrow, at the first millisecond of today', '2026-03-01T00:00:00.000Z', '2026-03-02', true],
    ['tomorrow, at the last millisecond of today', '2026-03-01T23:59:59.999Z', '2026-03-02', true],
    ['that day, a millisecond later', '2026-03-02T00:00:00.000Z', '2026-03-02', false],
    ['day 90, at the first millisecond', '2026-03-01T00:00:00.000Z', '2026-05-30', true],
    ['day 90, at the last millisecond', '2026-03-01T23:59:59.999Z', '2026-05-30', true],
    ['day 91, at the last millisecond', '2026-03-01T23:59:59.999Z', '2026-05-31', false],
    ['day 91, a millisecond later', '2026-03-02T00:00:00.000Z', '2026-05-31', true],
    ['day 90 across a leap day', '2028-01-15T12:00:00.000Z', '2028-04-14', true],
    ['day 91 across a leap day', '2028-01-15T12:00:00.000Z', '2028-04-15', false],
    ['day 90 across no leap day', '2027-01-15T12:00:00.000Z', '2027-04-15', true],
    ['the leap day, the day before', '2028-02-28T23:59:59.999Z', '2028-02-29', true],
    ['the leap day, on it', '2028-02-29T00:00:00.000Z', '2028-02-29', false],
    ['day 90 across the year', '2026-12-31T23:59:59.999Z', '2027-03-31', true],
    ['yesterday', '2026-03-02T00:00:00.000Z', '2026-03-01', false],
  ])('decides whether the stop day is accepted: %s', (_, now, expiresOn, taken) => {
    expect(isTaken(expiresOn, now)).toBe(taken);
  });

  it('accepts the 90 days after today as stop days at any time of day', () => {
    const moment = fc.date({ min: new Date('1970-01-01'), max: new Date('9000-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(moment, fc.integer({ min: -400, max: 400 }), (now, days) => {
        const start = Math.floor(now.getTime() / 86_400_000);
        const day = utcDay(new Date((start + days) * 86_400_000));
        fc.pre(day.length === 10);
        expect(isTaken(day, now.toISOString())).toBe(days >= 1 && days <= 90);
      }),
    );
  });
});

describe('a link', () => {
  it('keeps a link on until the last millisecond before its stop day', () => {
    const link = { expiresOn: '2028-02-29' };
    expect(isOn(link, new Date('2028-02-28T23:59:59.999Z'))).toBe(true);
    expect(isOn(link, new Date('2028-02-29T00:00:00.000Z'))).toBe(false);
    expect(stopMoment('2028-02-29').toISOString()).toBe('2028-02-29T00:00:00.000Z');
  });
});
