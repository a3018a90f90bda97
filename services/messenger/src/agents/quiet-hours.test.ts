import { DEFAULT_INBOX_PREFERENCES } from '@switchboard/contracts';
import { expect, test } from 'vitest';
import { isQuiet } from './quiet-hours.ts';

test.each([
  ['22:00', '07:00', '2026-01-15T21:30:00Z', true],
  ['22:00', '07:00', '2026-01-15T20:59:00Z', false],
  ['22:00', '07:00', '2026-01-15T05:59:00Z', true],
  ['22:00', '07:00', '2026-01-15T06:00:00Z', false],
  // In summer, Berlin is two hours ahead.
  ['22:00', '07:00', '2026-07-15T05:30:00Z', false],
  ['12:00', '13:00', '2026-01-15T11:00:00Z', true],
  ['12:00', '13:00', '2026-01-15T12:00:00Z', false],
  ['00:00', '06:00', '2026-01-14T23:00:00Z', true],
])('the quiet hours from %s to %s in Berlin at %s: %s', (from, to, at, expected) => {
  const preferences = { ...DEFAULT_INBOX_PREFERENCES, quietHours: { from, to }, timezone: 'Europe/Berlin' };
  expect(isQuiet(preferences, new Date(at))).toBe(expected);
});

test('a member without quiet hours is never quiet', () => {
  expect(isQuiet(DEFAULT_INBOX_PREFERENCES, new Date())).toBe(false);
});
