/** A range of durations in a histogram. */
interface TimeBin {
  label: string;
  /** Inclusive, in milliseconds. */
  until: number;
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];
const ENDS: readonly [label: string, until: number][] = [
  ['10 s', 10 * SECOND],
  ['30 s', 30 * SECOND],
  ['1 min', MINUTE],
  ['2 min', 2 * MINUTE],
  ['5 min', 5 * MINUTE],
  ['10 min', 10 * MINUTE],
  ['30 min', 30 * MINUTE],
  ['1 h', HOUR],
  ['3 h', 3 * HOUR],
  ['6 h', 6 * HOUR],
  ['12 h', 12 * HOUR],
  ['1 d', DAY],
  ['2 d', 2 * DAY],
  ['4 d', 4 * DAY],
  ['7 d', 7 * DAY],
  ['14 d', 14 * DAY],
  ['30 d', 30 * DAY],
  ['90 d', 90 * DAY],
];

/** Returns the ranges of durations up to a longest one. The last is open, unless the longest duration ends it. */
export function timeBins(longest: number): TimeBin[] {
  const ends = ENDS.slice(0, ENDS.findIndex(([, until]) => until >= longest) + 1 || ENDS.length);
  const bins = ends.map(([label, until], index) => ({
    label: index === 0 ? `0 to ${label}` : `${ends[index - 1]?.[0]} to ${label}`,
    until,
  }));
  const [last = ['', 0]] = ends.slice(-1);
  return last[1] >= longest ? bins : [...bins, { label: `over ${last[0]}`, until: longest }];
}

/** Returns the index of the range of a duration. */
export function binOf(bins: readonly TimeBin[], duration: number): number {
  return bins.findIndex(({ until }) => duration <= until);
}
