import { displayOf, intervalOf, type OverBuckets } from '@switchboard/report-content';
import type { TopLevelSpec } from 'vega-lite';
import type { Locale } from '../locale.ts';
import { textWidth } from './text-width.ts';
import { CONFIG, LABEL_SIZE, type Size, seriesColour } from './theme.ts';
import type { ValueAxis } from './value-axis.ts';

type Values = readonly (number | null)[];
/** The maximum width of a bucket label in pixels. Longer labels are cut off. */
const MAX_LABEL = 130;
const LABEL_GAP = 6;
const MAX_LABELS = 9;

/**
 * Builds the axes and marks of a line, bar or area chart. Buckets and series are numbered, so that the spec contains
 * no text of a report.
 */
export function drawOverBuckets(
  content: OverBuckets,
  axis: ValueAxis,
  locale: Locale,
  size: Size,
): TopLevelSpec {
  const { buckets, series, kind } = content;
  const interval = intervalOf(buckets, content.interval);
  const numbers = buckets.map((_, at) => at);
  const domain = [axis.ticks[0]?.value ?? 0, axis.ticks.at(-1)?.value ?? 1];
  const labels = locale.shortBuckets(buckets, interval);
  const widest = Math.max(...labels.map((label) => Math.min(textWidth(label, LABEL_SIZE), MAX_LABEL)));
  const most = Math.floor((size.width - axis.width) / (widest + LABEL_GAP));
  const x = {
    field: 'bucket',
    type: 'ordinal',
    title: null,
    scale: { type: 'band', domain: numbers, paddingInner: kind === 'bar' ? 0.2 : 0, paddingOuter: 0.1 },
    axis: {
      grid: false,
      values: spread(numbers, Math.min(most, MAX_LABELS)),
      labelLimit: MAX_LABEL,
      labelAngle: 0,
      labelExpr: 'bucketLabels[datum.value]',
    },
  } as const;
  const y = {
    field: 'value',
    type: 'quantitative',
    title: null,
    axis: {
      values: axis.ticks.map(({ value }) => value),
      labelExpr: 'tickLabels[datum.value]',
      labelLimit: 0,
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
  const areas = {
    data: { values: rowsOf(series.map(({ values }) => values.map((value) => value ?? 0))) },
    mark: { type: 'area', opacity: 0.8, line: { strokeWidth: 1.5 } },
    encoding: { ...encoding, y: { ...y, stack: 'zero' }, order: { field: 'series', type: 'quantitative' } },
  } as const;
  return {
    width: size.width,
    height: size.height,
    autosize: { type: 'fit', contains: 'padding' },
    padding: { left: 0, right: 8, top: 8, bottom: 4 },
    config: CONFIG,
    params: [
      { name: 'bucketLabels', value: labels },
      {
        name: 'tickLabels',
        value: Object.fromEntries(axis.ticks.map(({ value, label }) => [String(value), label])),
      },
    ],
    layer: kind === 'bar' ? [bars] : displayOf(content) === 'area' ? [areas] : lines(content, encoding),
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

/** Whether a value has gaps on both sides, so that no line contains it. */
function isAlone(values: Values = [], at: number): boolean {
  return values[at] !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null;
}

const rowsOf = (series: readonly Values[]) =>
  series.flatMap((values, index) => values.map((value, bucket) => ({ bucket, series: index, value })));

/** Selects at most `most` of the buckets, evenly spread. */
function spread(numbers: number[], most: number): number[] {
  const step = Math.ceil(numbers.length / most);
  return numbers.filter((_, index) => index % step === 0);
}
