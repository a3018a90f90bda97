import type { TopLevelSpec } from 'vega-lite';
import type { Funnel } from '../format.ts';
import { formatNumber, formatShare } from '../numbers.ts';
import { config, type Size, seriesColour } from './theme.ts';

/** A bar for each step, one below the other, with its count and its share of the first. */
export function drawFunnel({ steps, series }: Funnel, { width, isNarrow }: Size): TopLevelSpec {
  const groups = series ?? [{ name: '', values: steps.map(({ count }) => count) }];
  const values = groups.flatMap(({ values: counts }, index) =>
    steps.map(({ name }, at) => ({
      step: name,
      series: index,
      count: counts[at] ?? 0,
      label: `${formatNumber(counts[at] ?? 0)} · ${formatShare(counts[at] ?? 0, counts[0] ?? 0)}`,
    })),
  );
  const largest = Math.max(...values.map(({ count }) => count), 1);
  const y = {
    field: 'step',
    type: 'nominal',
    sort: null,
    title: null,
    axis: { domain: false, ticks: false, labelLimit: isNarrow ? 110 : 260, labelColor: 'var(--ink)' },
    scale: { paddingInner: 0.3 },
  } as const;
  const offset = {
    field: 'series',
    type: 'nominal',
    sort: null,
    scale: { paddingInner: 0.12 },
  } as const;
  const shared = { y, ...(groups.length > 1 ? { yOffset: offset } : {}) };
  const bar = isNarrow ? 24 : 30;
  return {
    width,
    height: steps.length * (groups.length * bar + 18),
    autosize: { type: 'fit', contains: 'padding' },
    padding: { left: 0, right: 4, top: 0, bottom: 0 },
    config,
    data: { values },
    encoding: shared,
    layer: [
      {
        mark: { type: 'bar', cornerRadiusEnd: 3 },
        encoding: {
          x: {
            field: 'count',
            type: 'quantitative',
            axis: null,
            // Room for the label behind the longest bar.
            scale: { domain: [0, largest * (isNarrow ? 1.8 : 1.2)] },
          },
          color: {
            field: 'series',
            type: 'nominal',
            legend: null,
            scale: {
              domain: groups.map((_, index) => index),
              range: groups.map((_, index) => seriesColour(index)),
            },
          },
        },
      },
      {
        mark: { type: 'text', align: 'left', baseline: 'middle', dx: 8, color: 'var(--ink)', fontSize: 13 },
        encoding: {
          x: { field: 'count', type: 'quantitative' },
          text: { field: 'label' },
        },
      },
    ],
  };
}
