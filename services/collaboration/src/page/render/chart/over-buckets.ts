import type { TopLevelSpec } from 'vega-lite';
import { daysOfBuckets, type Mark } from '../days.ts';
import type { OverBuckets } from '../format.ts';
import { axisFormat, config, type Size, seriesColour } from './theme.ts';

const HEIGHT = 340;

/** A line or bar chart, with the annotations' days shaded and numbered. */
export function drawOverBuckets(
  content: OverBuckets,
  marks: Mark[],
  { width, isNarrow }: Size,
): TopLevelSpec {
  const { buckets, series, kind } = content;
  const values = series.flatMap(({ values: of }, index) =>
    of.map((value, at) => ({ bucket: buckets[at], series: index, value })),
  );
  const shaded = marks.map(({ number, first, last }) => ({
    number,
    from: buckets[first],
    to: buckets[last],
  }));
  const areDays = daysOfBuckets(buckets) !== undefined;
  const largest = Math.max(...values.map(({ value }) => Math.abs(value ?? 0)));
  const x = {
    field: 'bucket',
    type: 'ordinal',
    title: null,
    scale: { type: 'band', domain: buckets, paddingInner: kind === 'bar' ? 0.2 : 0, paddingOuter: 0.1 },
    axis: {
      grid: false,
      values: ticks(buckets, isNarrow ? 4 : 9),
      labelLimit: isNarrow ? 80 : 120,
      labelAngle: 0,
      ...(areDays ? { labelExpr: "utcFormat(toDate(datum.value + 'T00:00:00Z'), '%b %-d')" } : {}),
    },
  } as const;
  const y = {
    field: 'value',
    type: 'quantitative',
    title: content.unit ?? null,
    axis: { format: axisFormat(largest), tickCount: 5, domain: false, ticks: false },
    scale: { zero: true },
  } as const;
  const colour = {
    field: 'series',
    type: 'nominal',
    legend: null,
    scale: { domain: series.map((_, index) => index), range: series.map((_, index) => seriesColour(index)) },
  } as const;
  const isSparse = buckets.length <= 62;
  return {
    width,
    height: isNarrow ? HEIGHT - 80 : HEIGHT,
    autosize: { type: 'fit', contains: 'padding' },
    padding: { left: 0, right: 8, top: 4, bottom: 4 },
    config,
    layer: [
      ...(shaded.length === 0 ? [] : annotationLayers(shaded, x)),
      kind === 'line'
        ? {
            data: { values },
            mark: {
              type: 'line',
              strokeWidth: 2.25,
              strokeJoin: 'round',
              ...(isSparse ? { point: { size: 28, filled: true } } : {}),
            },
            encoding: { x, y, color: colour },
          }
        : {
            data: { values },
            mark: { type: 'bar', cornerRadiusEnd: 2 },
            encoding: { x, y: { ...y, stack: 'zero' }, color: colour },
          },
    ],
  };
}

function annotationLayers(
  values: object[],
  { scale, axis }: { scale: object; axis: object },
): Extract<TopLevelSpec, { layer: unknown }>['layer'] {
  const from = { field: 'from', type: 'ordinal', title: null, bandPosition: 0, scale, axis } as const;
  return [
    {
      data: { values },
      mark: { type: 'rect', color: 'var(--note)', opacity: 0.14 },
      encoding: { x: from, x2: { field: 'to', bandPosition: 1 } },
    },
    {
      data: { values },
      mark: { type: 'rule', color: 'var(--note)', strokeWidth: 1.5 },
      encoding: { x: from },
    },
    {
      data: { values },
      mark: {
        type: 'text',
        color: 'var(--note)',
        fontSize: 12,
        fontWeight: 'bold',
        align: 'left',
        baseline: 'top',
        dx: 4,
        dy: 2,
        y: 0,
      },
      encoding: { x: from, text: { field: 'number' } },
    },
  ];
}

/** So many of the labels as there is room for, evenly spread. */
function ticks(buckets: string[], most: number): string[] {
  const step = Math.ceil(buckets.length / most);
  return buckets.filter((_, index) => index % step === 0);
}
