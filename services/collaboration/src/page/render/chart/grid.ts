import type { TopLevelSpec } from 'vega-lite';
import type { Grid } from '../format.ts';
import { formatNumber, formatValue } from '../numbers.ts';
import { config, type Size } from './theme.ts';

const ROW = 34;

/** A cell for each row and period, the darker the larger its value. */
export function drawGrid({ rows, periods, unit }: Grid, { width, isNarrow }: Size): TopLevelSpec {
  const labelled = rows.map(({ name, size }) =>
    isNarrow || size === undefined ? name : `${name}  (${formatNumber(size)})`,
  );
  const values = rows.flatMap(({ values: of }, row) =>
    of.flatMap((value, at) =>
      value === null
        ? []
        : [
            {
              row: labelled[row],
              period: periods[at],
              value,
              label: formatValue(value, unit === '%' ? '%' : ''),
            },
          ],
    ),
  );
  const numbers = values.map(({ value }) => value);
  const [least, most] = [Math.min(0, ...numbers), Math.max(...numbers, 1)];
  const column = isNarrow ? 52 : 58;
  const labels = isNarrow ? 160 : 230;
  return {
    width: Math.max(width, labels + periods.length * column),
    height: rows.length * ROW + 30,
    autosize: { type: 'fit', contains: 'padding' },
    padding: 0,
    config,
    data: { values },
    encoding: {
      x: {
        field: 'period',
        type: 'ordinal',
        title: null,
        scale: { domain: periods, paddingInner: 0.06 },
        axis: {
          orient: 'top',
          domain: false,
          ticks: false,
          labelAngle: 0,
          labelLimit: Math.max(column, (width - labels) / periods.length),
        },
      },
      y: {
        field: 'row',
        type: 'ordinal',
        title: null,
        scale: { domain: labelled, paddingInner: 0.08 },
        axis: { domain: false, ticks: false, labelLimit: labels - 10, labelColor: 'var(--ink)' },
      },
    },
    layer: [
      { mark: { type: 'rect', color: 'var(--grid)', opacity: 0.45, cornerRadius: 3 } },
      {
        mark: { type: 'rect', color: 'var(--heat)', cornerRadius: 3 },
        encoding: {
          opacity: {
            field: 'value',
            type: 'quantitative',
            legend: null,
            scale: { domain: [least, most], range: [0.04, 1] },
          },
        },
      },
      {
        mark: { type: 'text', fontSize: 12 },
        encoding: {
          text: { field: 'label' },
          color: {
            condition: { test: `datum.value > ${least + (most - least) * 0.55}`, value: 'var(--on-heat)' },
            value: 'var(--ink)',
          },
        },
      },
    ],
  };
}
