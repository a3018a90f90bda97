import { type ReportContent, tableOf } from '@switchboard/report-content';
import type { Locale } from './locale.ts';
import { type Markup, markup, nothing } from './markup.ts';

/** A longer table is folded. */
const MAX_OPEN_ROWS = 12;

/** Every value as CSV, at the address of the page. */
export const downloadLink = ({ texts }: Locale): Markup =>
  markup`<a class="download" href="?format=csv" download>${texts.download}</a>`;

/** Every value of the chart, for those who do not see it and for paper. */
export function dataTable(content: ReportContent, locale: Locale): Markup {
  const { texts, cell, number } = locale;
  const { corner, interval, columns, rows, totals } = tableOf(content, texts.table);
  const { unit = '' } = content;
  const cells = (values: readonly (number | null | undefined)[]) =>
    values.map(
      (value, at) => markup`<td class="value">${cell(value, columns[at]?.format ?? 'value', unit)}</td>`,
    );
  const caption = unit === '' ? nothing : markup`<caption>${locale.unit(unit)}</caption>`;
  const head = columns.map(({ name }) => markup`<th scope="col" class="value">${name}</th>`);
  const body = rows.map(
    ({ name, values }) =>
      markup`<tr><th scope="row">${locale.bucket(name, interval)}</th>${cells(values)}</tr>\n`,
  );
  const foot =
    totals === undefined
      ? nothing
      : markup`<tfoot><tr><th scope="row">${totals.name}</th>${cells(totals.values)}</tr></tfoot>`;
  const table = markup`<div class="scroll" tabindex="0" role="region" aria-label="${texts.values}"><table class="values">${caption}
<thead><tr>${corner === '' ? markup`<td></td>` : markup`<th scope="col">${corner}</th>`}${head}</tr></thead>
<tbody>${body}</tbody>${foot}</table></div>`;
  const heading = markup`<h2>${texts.values}</h2>`;
  if (rows.length <= MAX_OPEN_ROWS) {
    return markup`<section class="card"><div class="head">${heading}${downloadLink(locale)}</div>${table}</section>`;
  }
  return markup`<section class="card folded"><details><summary>${heading} <span class="count">${texts.rows(number(rows.length))}</span></summary>${table}</details>${downloadLink(locale)}</section>`;
}
