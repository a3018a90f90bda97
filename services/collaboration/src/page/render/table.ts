import { daysOfBuckets } from './days.ts';
import type { Funnel, Grid, OverBuckets, ReportContent } from './format.ts';
import { type Markup, markup, nothing } from './markup.ts';
import { formatNumber, formatShare, formatValue } from './numbers.ts';

interface Table {
  head: string[];
  rows: { name: string; values: string[] }[];
}

function overBuckets({ buckets, series }: OverBuckets): Table {
  return {
    head: [daysOfBuckets(buckets) === undefined ? '' : 'Day', ...series.map(({ name }) => name)],
    rows: buckets.map((name, at) => ({ name, values: series.map(({ values }) => formatValue(values[at])) })),
  };
}

function funnel({ steps, series }: Funnel): Table {
  const first = steps[0]?.count ?? 0;
  const shares = series === undefined ? ['Of the step before', 'Of the first'] : [];
  return {
    head: ['Step', 'Count', ...shares, ...(series ?? []).map(({ name }) => name)],
    rows: steps.map(({ name, count }, at) => ({
      name,
      values: [
        formatNumber(count),
        ...(series === undefined
          ? [at === 0 ? '–' : formatShare(count, steps[at - 1]?.count ?? 0), formatShare(count, first)]
          : series.map(({ values }) => formatValue(values[at]))),
      ],
    })),
  };
}

function grid({ rows, periods, unit }: Grid): Table {
  const hasSizes = rows.some(({ size }) => size !== undefined);
  return {
    head: ['', ...(hasSizes ? ['Size'] : []), ...periods],
    rows: rows.map(({ name, size, values }) => ({
      name,
      values: [
        ...(hasSizes ? [formatValue(size)] : []),
        ...periods.map((_, at) =>
          at < values.length ? formatValue(values[at], unit === '%' ? '%' : '') : '',
        ),
      ],
    })),
  };
}

function tableOf(content: ReportContent): Table {
  if (content.kind === 'funnel') return funnel(content);
  return content.kind === 'grid' ? grid(content) : overBuckets(content);
}

function columnHead(name: string, at: number): Markup {
  if (name === '') return markup`<td></td>`;
  return markup`<th scope="col"${at > 0 ? markup` class="value"` : nothing}>${name}</th>`;
}

/** Every value of the chart, for those who do not see it and for paper. */
export function dataTable(content: ReportContent): Markup {
  const { head, rows } = tableOf(content);
  const unit = content.unit === undefined ? nothing : markup`<caption>In ${content.unit}</caption>`;
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="All values"><table>${unit}
<thead><tr>${head.map(columnHead)}</tr></thead>
<tbody>${rows.map(
    ({ name, values }) =>
      markup`<tr><th scope="row">${name}</th>${values.map((value) => markup`<td class="value">${value}</td>`)}</tr>\n`,
  )}</tbody></table></div>`;
}
