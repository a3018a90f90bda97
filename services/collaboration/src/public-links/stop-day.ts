import { BadRequest } from '@switchboard/http';

export const MAX_DAYS_AHEAD = 90;
const DAY_MS = 86_400_000;

/** Returns the UTC calendar day of a moment, YYYY-MM-DD. */
export function utcDay(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** Returns the moment when a link with this stop day stops: the start of that day, UTC. */
export function stopMoment(expiresOn: string): Date {
  return new Date(`${expiresOn}T00:00:00.000Z`);
}

/** Whether a link is on. It stops when its stop day begins. */
export function isOn({ expiresOn }: { expiresOn: string }, now: Date): boolean {
  return now < stopMoment(expiresOn);
}

/** Throws BadRequest unless the day is after today and at most 90 days ahead, counted in UTC days. */
export function requireStopDay(expiresOn: string, now: Date): void {
  const today = utcDay(now);
  const last = utcDay(new Date(stopMoment(today).getTime() + MAX_DAYS_AHEAD * DAY_MS));
  if (expiresOn > today && expiresOn <= last) return;
  throw new BadRequest(`expiresOn: not between tomorrow and ${last}, ${MAX_DAYS_AHEAD} days ahead (UTC)`);
}
