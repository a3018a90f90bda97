import { expect, it } from 'vitest';
import { type Attempt, outcomeOf, SCHEDULE_SECONDS } from './outcome.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const rules = { schedule: SCHEDULE_SECONDS, random: () => 0.5 };
const answered = (status: number | null, retryAfter: string | null = null): Attempt => ({
  ...{ at: now, status, error: null, response: '', durationMs: 1, retryAfter },
});
const waitOf = (attempt: Attempt, number = 1) =>
  (outcomeOf(attempt, number, now, rules).nextAt.getTime() - now.getTime()) / 1000;

it('delivers with any status from 200 to 299', () => {
  for (const status of [200, 204, 299])
    expect(outcomeOf(answered(status), 1, now, rules)).toMatchObject({ state: 'delivered', isGone: false });
});

it('retries every other status and no response, with a tenth more than the schedule at a random of 0.5', () => {
  for (const status of [null, 301, 400, 404, 410, 500])
    expect([outcomeOf(answered(status), 1, now, rules).state, waitOf(answered(status))]).toEqual([
      'waiting',
      5.5,
    ]);
  expect(waitOf(answered(500), 9)).toBeCloseTo(86_400 * 1.1);
});

it('fails after the tenth attempt, more than three days after the first', () => {
  expect(outcomeOf(answered(500), 10, now, rules).state).toBe('failed');
  expect(SCHEDULE_SECONDS.reduce((sum, seconds) => sum + seconds, 0)).toBeGreaterThan(3 * 86_400);
});

it('honours Retry-After of 429 and 503 in seconds and as a date, for at most a day', () => {
  expect(waitOf(answered(429, '120'))).toBe(120);
  expect(waitOf(answered(503, 'Sun, 01 Mar 2026 12:02:00 GMT'))).toBe(120);
  expect(waitOf(answered(429, '9999999999'))).toBe(86_400);
  expect(outcomeOf(answered(429, '120'), 1, now, rules).pausedUntil).toEqual(
    new Date('2026-03-01T12:02:00.000Z'),
  );
  for (const header of ['-1', 'soon', '', null]) {
    expect(waitOf(answered(429, header))).toBe(5.5);
    expect(outcomeOf(answered(429, header), 1, now, rules).pausedUntil).toBeNull();
  }
  expect(outcomeOf(answered(500, '120'), 1, now, rules).pausedUntil).toBeNull();
});

it('tells that the endpoint is gone with 410 alone', () => {
  expect([410, 404].map((status) => outcomeOf(answered(status), 1, now, rules).isGone)).toEqual([
    true,
    false,
  ]);
});
