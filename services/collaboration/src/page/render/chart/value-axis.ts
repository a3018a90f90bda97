import { displayOf, type OverBuckets } from '@switchboard/report-content';
import type { Locale } from '../locale.ts';
import { textWidth } from './text-width.ts';
import { LABEL_SIZE, type Size } from './theme.ts';
import { niceTicks } from './ticks.ts';

/** The axis of the values. */
export interface ValueAxis {
  ticks: { value: number; label: string }[];
  /** The width of the longest label in pixels. */
  width: number;
  /** The unit above the axis. Empty if every tick has the unit. */
  unit: string;
}

/** The maximum width of a unit at the ticks, in pixels. About twelve letters. */
const MAX_TICK_UNIT = 90;
/** The maximum share of the drawing's width for tick labels. */
const MAX_SHARE = 1 / 3;

const widthOf = (text: string) => textWidth(text, LABEL_SIZE);

/**
 * Builds the axis of the values. Every tick has the unit, unless a long unit would leave little room for the
 * chart.
 */
export function valueAxis(content: OverBuckets, locale: Locale, size: Size): ValueAxis {
  const { unit = '' } = content;
  const values = ticksOf(content);
  const axis = (labels: string[], above: string) => ({
    ticks: values.map((value, at) => ({ value, label: labels[at] ?? '' })),
    width: Math.max(...labels.map(widthOf)),
    unit: above,
  });
  const name = locale.unit(unit);
  const full = axis(locale.ticks(values, unit), '');
  const isShort = widthOf(name) <= MAX_TICK_UNIT && full.width <= size.width * MAX_SHARE;
  return isShort ? full : axis(locale.ticks(values, ''), name);
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
