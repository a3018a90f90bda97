import type { InboxPreferences } from '@switchboard/contracts';

/** Returns whether a time is in the quiet hours of a member. The first minute is quiet, the last is not. */
export function isQuiet({ quietHours, timezone }: InboxPreferences, at: Date): boolean {
  if (quietHours === null) return false;
  const { from, to } = quietHours;
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(at);
  return from < to ? from <= time && time < to : from <= time || time < to;
}
