import type { SubscriptionSchedule } from '@switchboard/contracts';

const DAY_MS = 86_400_000;
/** Every schedule has a day within two months. */
const MAX_DAYS = 64;

/**
 * Returns the first time of a schedule after an instant. A local time that daylight saving time skips is moved forward
 * by as much as is skipped, and one that occurs twice is the first.
 */
export function nextTime(schedule: SubscriptionSchedule, after: Date): Date {
  const { at, timeZone } = schedule;
  const localTime = localTimeIn(timeZone);
  const [hours = 0, minutes = 0] = at.split(':').map(Number);
  const sinceMidnight = (hours * 60 + minutes) * 60_000;
  // Starts a day early: a skipped or repeated hour may move the time over midnight.
  const today = Math.floor(localTime(after.getTime()) / DAY_MS) * DAY_MS;
  for (let day = today - DAY_MS; day <= today + MAX_DAYS * DAY_MS; day += DAY_MS) {
    if (!isOn(schedule, new Date(day))) continue;
    const instant = instantOf(day + sinceMidnight, localTime);
    if (instant > after.getTime()) return new Date(instant);
  }
  throw new Error(`no time within ${MAX_DAYS} days`);
}

/** Returns whether a schedule has this day, given as midnight in UTC. */
function isOn(schedule: SubscriptionSchedule, day: Date): boolean {
  const weekday = day.getUTCDay() || 7;
  if (!('on' in schedule)) return schedule.every === 'day' || weekday <= 5;
  if (schedule.every === 'week') return weekday === schedule.on;
  const lastDay = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
  return day.getUTCDate() === Math.min(schedule.on, lastDay);
}

/** Returns a function that computes local time, as the milliseconds of an equal time in UTC. */
function localTimeIn(timeZone: string): (instant: number) => number {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (instant) => Date.parse(`${format.format(instant).replace(' ', 'T')}Z`);
}

function instantOf(local: number, localTime: (instant: number) => number): number {
  const offsetAt = (instant: number) => localTime(instant) - instant;
  const [before, after] = [local - offsetAt(local - DAY_MS), local - offsetAt(local + DAY_MS)];
  // Neither has this local time if it is skipped.
  return localTime(before) !== local && localTime(after) === local ? after : before;
}
