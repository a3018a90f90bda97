import { LRUCache } from 'lru-cache';

const MS_PER_DAY = 86_400_000;
/** An offset such as `GMT-05:50:36`. */
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** A stretch of time with one UTC offset. */
export interface Stretch {
  /** The first millisecond after the stretch. Infinity for the last one. */
  until: number;
  /** Local time minus UTC, in milliseconds. */
  offset: number;
}

/** Returns a function that computes the UTC offset of local time in a time zone, in milliseconds. */
export function offsetsIn(timeZone: string): (instant: number) => number {
  if (timeZone === 'UTC') return () => 0;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', hour: 'numeric' });
  return (instant) => {
    const found = OFFSET.exec(format.format(instant));
    if (found === null) throw new Error(`${timeZone}: no offset in ${format.format(instant)}`);
    const [, sign, hours = '0', minutes = '0', seconds = '0'] = found;
    const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
    return sign === '-' ? -offset : offset;
  };
}

/**
 * The stretches of the latest calendars. A query computes its own twice, and the other queries on a page are
 * usually about the same days.
 */
const known = new LRUCache<string, readonly Stretch[]>({ max: 100 });

/** Returns the stretches between two instants in a time zone. */
export function stretchesIn(timeZone: string, from: number, to: number): readonly Stretch[] {
  const key = `${timeZone} ${from} ${to}`;
  const stretches = known.get(key) ?? stretchesOf(offsetsIn(timeZone), from, to);
  known.set(key, stretches);
  return stretches;
}

/** Searches only the days on which the offset changes. */
function stretchesOf(offsetAt: (instant: number) => number, from: number, to: number): Stretch[] {
  const stretches: Stretch[] = [];
  let offset = offsetAt(from);
  for (let at = from; at < to; at += MS_PER_DAY) {
    const next = offsetAt(at + MS_PER_DAY);
    if (next === offset) continue;
    stretches.push({ until: changeBetween(offsetAt, at, at + MS_PER_DAY), offset });
    offset = next;
  }
  return [...stretches, { until: Number.POSITIVE_INFINITY, offset }];
}

/** Returns the first millisecond with a different offset than at `low`. */
function changeBetween(offsetAt: (instant: number) => number, low: number, high: number): number {
  const before = offsetAt(low);
  let [same, other] = [low, high];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle) === before) same = middle;
    else other = middle;
  }
  return other;
}
