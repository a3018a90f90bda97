import { displayOf, type OverBuckets } from '@switchboard/report-content';
import type { Locale } from '../locale.ts';
import { textWidth } from './text-width.ts';
import { LABEL_SIZE } from './theme.ts';
import { niceTicks } from './ticks.ts';

/** The axis of the values. */
export interface ValueAxis {
  ticks: { value: number; label: string }[];
  /** The width of the longest label in pixels. */
  width: number;
  /** The unit above the axis. Empty: no unit. */
  unit: string;
}

/** Builds the axis of the values. It has the unit once, above the numbers. */
export function valueAxis(content: OverBuckets, locale: Locale): ValueAxis {
  const { unit = '' } = content;
  const values = ticksOf(content);
  const labels = locale.ticks(values, unit);
  return {
    ticks: values.map((value, at) => ({ value, label: labels[at] ?? '' })),
    width: Math.max(...labels.map((label) => textWidth(label, LABEL_SIZE))),
    unit: locale.unit(unit),
  };
}

function ticksOf(content: OverBuckets): number[] {
  const { series, buckets, goal } = content;
  const all =
    displayOf(content) === 'line'
      ? series.flatMap(({ values, previous = [] }) => [...values, ...previous]).map((value) => value ?? 0)
      : buckets.flatMap((_, at) => {
          const stacked = series.map(({ values }) => values[at] ?? 0);
          const sum = (values: number[]) => values.reduce((one, other) => one + other, 0);
          return [sum(stacked.filter((value) => value > 0)), sum(stacked.filter((value) => value < 0))];
        });
  const [least, most] = all.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Math.min(0, goal?.value ?? 0), Math.max(0, goal?.value ?? 0)],
  );
  return niceTicks(least, most, [...all, goal?.value ?? 0].every(Number.isInteger));
}
