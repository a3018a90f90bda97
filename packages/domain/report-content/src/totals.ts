import { roundedAmount } from '@switchboard/contracts/amounts';
import type { Funnel, Grid, OverBuckets } from './content.ts';

/** The total of values, now and in the previous period. Null if they do not add up. Undefined if it is unknown. */
export interface Amount {
  total: number | null;
  previousTotal: number | null | undefined;
}

type Series = OverBuckets['series'][number];

/** Returns how a report over buckets is shown. */
export const displayOf = (content: OverBuckets) =>
  content.kind === 'bar' ? 'bar' : (content.display ?? 'line');

/** Returns null if the sum exceeds the range of a double. */
function sum(values: readonly (number | null)[]): number | null {
  const total = values.reduce<number>((all, one) => all + (one ?? 0), 0);
  return Number.isFinite(total) ? roundedAmount(total) : null;
}

/** Returns the amount of a series: its total, or else the sum of its values, unless they are percentages. */
export function seriesAmount({ values, total, previous, previousTotal }: Series, unit?: string): Amount {
  const isShare = unit === '%';
  const before = previous === undefined || isShare ? undefined : sum(previous);
  const now = isShare || values.every((value) => value === null) ? null : sum(values);
  if (total === undefined)
    return { total: now, previousTotal: previousTotal === undefined ? before : previousTotal };
  // Values that do not add up now did not add up in the previous period either.
  return { total, previousTotal: previousTotal ?? (total === null ? null : undefined) };
}

/**
 * Returns the amount of a series over the whole range of a report: the value of the only bucket, which need not add up,
 * or else the amount of the series.
 */
export function rangeAmount({ buckets, unit }: OverBuckets, one: Series): Amount {
  if (buckets.length > 1) return seriesAmount(one, one.unit ?? unit);
  return { total: one.values[0] ?? null, previousTotal: one.previous?.[0] };
}

/**
 * Returns the charts of a report: one for each unit of its series, in the order of the series. Each has only the
 * series of its unit. The first has the goal.
 */
export function chartsOf(content: OverBuckets): OverBuckets[] {
  const unitOf = (one: Series) => one.unit ?? content.unit;
  const units = [...new Set(content.series.map(unitOf))];
  if (units.length === 1) return [{ ...content, unit: units[0] }];
  const { total: _total, previousTotal: _previousTotal, goal, ...shared } = content;
  return units.map((unit, at) => {
    const series = content.series.filter((one) => unitOf(one) === unit);
    return {
      ...shared,
      ...(content.total === null && { total: null }),
      ...(at === 0 && { goal }),
      unit,
      series,
    };
  });
}

/**
 * Returns the amount of the whole report: its own total, or else that of its only series or of its breakdown.
 * Undefined if the series count different things.
 */
export function reportAmount(content: OverBuckets): Amount | undefined {
  const { series, total, previousTotal, breakdown, unit } = content;
  if (total !== undefined) return { total, previousTotal };
  if (series.length > 1 && (breakdown === undefined || chartsOf(content).length > 1)) return undefined;
  const amounts = series.map((one) => seriesAmount(one, unit));
  const totals = amounts.map((amount) => amount.total).filter((one) => one !== null);
  const before = amounts
    .map((amount) => amount.previousTotal ?? undefined)
    .filter((one) => one !== undefined);
  return {
    total: totals.length === amounts.length ? sum(totals) : null,
    previousTotal: before.length === amounts.length ? sum(before) : undefined,
  };
}

/**
 * Returns the share of the first step's people who reached the last step. Undefined without people or with only one
 * step.
 */
export function conversionOf({ steps }: Funnel): number | undefined {
  const first = steps[0]?.count ?? 0;
  const last = steps.at(-1)?.count;
  return steps.length < 2 || first === 0 || last === undefined ? undefined : last / first;
}

/** Returns the step that a step of a funnel compares with: the last one before it that is not optional. */
export function stepBefore(steps: Funnel['steps'], at: number): Funnel['steps'][number] | undefined {
  return steps.findLast(({ optional }, index) => index < at && optional !== true);
}

/**
 * Returns the averages of a grid's periods over all rows that have a value, weighted by the size of each row.
 * Undefined if no row has a value, or a row has no size.
 */
export function averagesOf({ rows, periods }: Grid): (number | undefined)[] {
  return periods.map((_, at) => {
    const counted = rows.flatMap(({ size, values }) => {
      const value = values[at];
      return value === null || value === undefined ? [] : [{ size, value }];
    });
    const people = counted.reduce((all, { size }) => all + (size ?? Number.NaN), 0);
    const average = counted.reduce((all, { size = 0, value }) => all + size * value, 0) / people;
    return Number.isFinite(average) ? average : undefined;
  });
}
