import { intervalOf, type OverBuckets } from '@switchboard/report-content';
import type { TopLevelSpec } from 'vega-lite';
import type { Locale } from '../locale.ts';
import { CONFIG, type Size, seriesColour } from './theme.ts';
import { niceTicks } from './ticks.ts';

type Values = readonly (number | null)[];
/** A unit up to this long stands at every tick. */
const MAX_TICK_UNIT = 3;

/** Whether the unit is at every tick, and not above the axis. */
export const hasUnitOnTicks = ({ unit = '' }: OverBuckets) => [...unit].length <= MAX_TICK_UNIT;

/** The axes and marks of a line or bar chart. Buckets and series go by number: no text of a report is in the spec. */
export function drawOverBuckets(content: OverBuckets, locale: Locale, size: Size): TopLevelSpec {
  const { buckets, series, kind } = content;
  const interval = intervalOf(buckets, content.interval);
  const numbers = buckets.map((_, at) => at);
  const ticks = ticksOf(content);
  const domain = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const most = interval === 'hour' ? (size.isNarrow ? 3 : 7) : size.isNarrow ? 4 : 9;
  const x = {
    field: 'bucket',
    type: 'ordinal',
    title: null,
    scale: { type: 'band', domain: numbers, paddingInner: kind === 'bar' ? 0.2 : 0, paddingOuter: 0.1 },
    axis: {
      grid: false,
      values: spread(numbers, most),
      labelLimit: 130,
      labelAngle: 0,
      labelExpr: 'bucketLabels[datum.value]',
    },
  } as const;
  const y = {
    field: 'value',
    type: 'quantitative',
    title: null,
    axis: {
      values: ticks,
      labelExpr: 'tickLabels[datum.value]',
      labelLimit: 120,
      domain: false,
      ticks: false,
    },
    scale: { domain, nice: false },
  } as const;
  const colour = {
    field: 'series',
    type: 'nominal',
    legend: null,
    scale: { domain: series.map((_, index) => index), range: series.map((_, index) => seriesColour(index)) },
  } as const;
  const encoding = { x, y, color: colour };
  const bars = {
    data: { values: rowsOf(series.map(({ values }) => values)) },
    mark: { type: 'bar', cornerRadiusEnd: 2 },
    encoding: { ...encoding, y: { ...y, stack: 'zero' } },
  } as const;
  return {
    width: size.width,
    height: size.height,
    autosize: { type: 'fit', contains: 'padding' },
    padding: { left: 0, right: 8, top: 8, bottom: 4 },
    config: CONFIG,
    params: [
      { name: 'bucketLabels', value: locale.shortBuckets(buckets, interval) },
      { name: 'tickLabels', value: tickLabels(content, ticks, locale) },
    ],
    layer: kind === 'bar' ? [bars] : lines(content, encoding),
  };
}

function lines({ series, buckets }: OverBuckets, encoding: object) {
  const isSparse = buckets.length <= 62;
  const now = series.map(({ values }) => values);
  const before = series.map(({ previous = [] }) => previous);
  const strokeDash = [4, 4];
  const dashed = {
    data: { values: rowsOf(before) },
    mark: { type: 'line', strokeWidth: 1.5, strokeDash, opacity: 0.7 },
    encoding,
  } as const;
  const solid = {
    data: { values: rowsOf(now) },
    mark: { type: 'line', strokeWidth: 2.25, strokeJoin: 'round' },
    encoding,
  } as const;
  const points = {
    data: { values: rowsOf(now).filter(({ series: one, bucket }) => isSparse || isAlone(now[one], bucket)) },
    mark: { type: 'point', filled: true, size: 28, opacity: 1 },
    encoding,
  } as const;
  return [...(before.some((values) => values.length > 0) ? [dashed] : []), solid, points];
}

/** A value between gaps is on no line. */
function isAlone(values: Values = [], at: number): boolean {
  return values[at] !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
}

const rowsOf = (series: readonly Values[]) =>
  series.flatMap((values, index) => values.map((value, bucket) => ({ bucket, series: index, value })));

function ticksOf({ kind, series, buckets }: OverBuckets): number[] {
  const all =
    kind === 'line'
      ? series.flatMap(({ values, previous = [] }) => [...values, ...previous]).map((value) => value ?? 0)
      : buckets.flatMap((_, at) => {
          const stacked = series.map(({ values }) => values[at] ?? 0);
          const sum = (values: number[]) => values.reduce((one, other) => one + other, 0);
          return [sum(stacked.filter((value) => value > 0)), sum(stacked.filter((value) => value < 0))];
        });
  const [least, most] = all.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [0, 0],
  );
  return niceTicks(least, most);
}

function tickLabels(content: OverBuckets, ticks: number[], locale: Locale): Record<string, string> {
  const written = locale.ticks(ticks, hasUnitOnTicks(content) ? (content.unit ?? '') : '');
  return Object.fromEntries(ticks.map((tick, index) => [String(tick), written[index] ?? '']));
}

/** So many of the buckets as there is room for, evenly spread. */
function spread(numbers: number[], most: number): number[] {
  const step = Math.ceil(numbers.length / most);
  return numbers.filter((_, index) => index % step === 0);
}
