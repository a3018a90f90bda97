import type { AlertDefinition, AlertRule, InsightInterval } from '@switchboard/contracts';

/** The values of consecutive buckets, oldest first. Undefined for a bucket that was not read. */
export interface Points {
  interval: InsightInterval;
  labels: readonly string[];
  /** The index of each label. */
  places: ReadonlyMap<string, number>;
  values: readonly (number | null | undefined)[];
}

export const placesOf = (labels: readonly string[]): ReadonlyMap<string, number> =>
  new Map(labels.map((label, index) => [label, index]));

/** between: no longer a problem, and not yet recovered. unknown: nothing to judge. */
export type Verdict = 'bad' | 'good' | 'between' | 'unknown';

export interface Judgement {
  verdict: Verdict;
  /** The limit, the value compared with, or the median. */
  expected: number | null;
}

const DEFAULT_SENSITIVITY = 4;
const SEASONS = 8;
const MIN_SAMPLES = 4;
/** The standard deviation of a normal distribution, as a multiple of its median absolute deviation. */
const DEVIATIONS_PER_MAD = 1.4826;
/** Series with little noise would otherwise fire for tiny changes. */
const MIN_RELATIVE_DEVIATION = 0.05;
const UNKNOWN: Judgement = { verdict: 'unknown', expected: null };
const HOURS = { day: 24, week: 168 } as const;
const HOUR_MS = 3_600_000;

/** The number of earlier buckets that a judgement of one bucket may need. */
export function depthOf(rule: AlertRule, interval: InsightInterval): number {
  const perWeek = { hour: HOURS.week, day: 7, week: 1, month: 1 }[interval];
  if (rule.kind === 'anomaly') return SEASONS * perWeek;
  if (rule.kind !== 'change') return 0;
  return { previous: 1, day: interval === 'hour' ? HOURS.day : 1, week: perWeek }[rule.against ?? 'previous'];
}

/** Returns the indexes of the buckets that a judgement compares with. -1 for a bucket that does not exist. */
export function comparedWith(rule: AlertRule, points: Omit<Points, 'values'>, index: number): number[] {
  const { interval } = points;
  if (rule.kind === 'anomaly') {
    return Array.from({ length: SEASONS }, (_, season) =>
      interval === 'hour' || interval === 'day'
        ? earlier(points, index, HOURS.week * (season + 1))
        : index - season - 1,
    );
  }
  if (rule.kind !== 'change') return [];
  const { against = 'previous' } = rule;
  return [against === 'previous' ? index - 1 : earlier(points, index, HOURS[against])];
}

/** Returns the index of the bucket this many hours before, by the clock of the time zone. */
function earlier({ labels, places }: Omit<Points, 'values'>, index: number, hours: number): number {
  const label = labels[index] ?? '';
  const at = new Date(Date.parse(label.length > 10 ? `${label}Z` : label) - hours * HOUR_MS);
  return places.get(at.toISOString().slice(0, label.length)) ?? -1;
}

export function judge(rule: AlertRule, points: Points, index: number): Judgement {
  const value = points.values[index] ?? null;
  if (rule.kind === 'missing')
    return { verdict: value === null || value === 0 ? 'bad' : 'good', expected: null };
  if (value === null) return UNKNOWN;
  const compared = comparedWith(rule, points, index).flatMap((at) => points.values[at] ?? []);
  switch (rule.kind) {
    case 'threshold':
      return ofThreshold(rule, value);
    case 'change':
      return ofChange(rule, value, compared[0]);
    case 'anomaly':
      return ofAnomaly(rule, value, compared);
  }
}

type Rule<K extends AlertRule['kind']> = Extract<AlertRule, { kind: K }>;

function ofThreshold({ above, below, recoverAt }: Rule<'threshold'>, value: number): Judgement {
  const sign = above === undefined ? -1 : 1;
  const limit = above ?? below ?? 0;
  if (sign * value > sign * limit) return { verdict: 'bad', expected: limit };
  const isRecovered = sign * value <= sign * (recoverAt ?? limit);
  return { verdict: isRecovered ? 'good' : 'between', expected: limit };
}

function ofChange(
  { direction, percent }: Rule<'change'>,
  value: number,
  before: number | undefined,
): Judgement {
  if (before === undefined || before === 0) return { verdict: 'unknown', expected: before ?? null };
  const change = ((value - before) / Math.abs(before)) * 100;
  return { verdict: isBeyond(change, percent, direction) ? 'bad' : 'good', expected: before };
}

function ofAnomaly(rule: Rule<'anomaly'>, value: number, compared: readonly number[]): Judgement {
  if (compared.length < MIN_SAMPLES) return UNKNOWN;
  const median = medianOf(compared);
  const deviation = medianOf(compared.map((one) => Math.abs(one - median)));
  const scale = Math.max(DEVIATIONS_PER_MAD * deviation, MIN_RELATIVE_DEVIATION * Math.abs(median));
  if (scale === 0) return { verdict: value === median ? 'good' : 'unknown', expected: median };
  const score = (value - median) / scale;
  const isBad = isBeyond(score, rule.sensitivity ?? DEFAULT_SENSITIVITY, rule.direction);
  return { verdict: isBad ? 'bad' : 'good', expected: median };
}

function isBeyond(change: number, limit: number, direction: 'up' | 'down' | 'both'): boolean {
  return (direction !== 'down' && change >= limit) || (direction !== 'up' && change <= -limit);
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? 0) + (sorted[Math.floor(middle)] ?? 0)) / 2;
}

export interface Progress {
  isFiring: boolean;
  /** The buckets in a row that speak for a change of state. */
  streak: number;
}

export const QUIET: Progress = { isFiring: false, streak: 0 };

/** Returns the state after one more bucket. A bucket with nothing to judge changes nothing. */
export function advance(
  { isFiring, streak }: Progress,
  verdict: Verdict,
  { fireAfter = 1, recoverAfter = 1 }: Pick<AlertDefinition, 'fireAfter' | 'recoverAfter'>,
): Progress {
  if (verdict === 'unknown') return { isFiring, streak };
  if (verdict !== (isFiring ? 'good' : 'bad')) return { isFiring, streak: 0 };
  const isEnough = streak + 1 >= (isFiring ? recoverAfter : fireAfter);
  return isEnough ? { isFiring: !isFiring, streak: 0 } : { isFiring, streak: streak + 1 };
}
