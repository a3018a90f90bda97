import { type Cell, type ReportContent, type Table, tableOf } from '@switchboard/report-content';
import type { Locale } from './locale.ts';
import { type Markup, markup, nothing } from './markup.ts';

/** The maximum number of cells in the table. The file has the remaining rows. */
const MAX_CELLS = 5_000;
/** The maximum number of rows shown unfolded. */
const MAX_OPEN_ROWS = 12;
/** The maximum number of columns that fit on paper. Further columns follow below. */
const MAX_COLUMNS = 12;

/** A link to all values as CSV, at the address of the page. `tile` is the number of the tile of a dashboard. */
export function downloadLink({ texts }: Locale, tile: number | undefined): Markup {
  const href = tile === undefined ? '?format=csv' : `?format=csv&tile=${tile}`;
  return markup`<a class="download" href="${href}" download>${texts.download}</a>`;
}

/** Renders the values of the chart, for people who cannot see it and for paper. */
export function dataTable(
  content: ReportContent,
  locale: Locale,
  download: Markup,
  { isOpen } = { isOpen: false },
): Markup {
  const { texts, number } = locale;
  const whole = tableOf(content, texts.table);
  const { length } = whole.rows;
  const rows = whole.rows.slice(0, Math.max(1, Math.floor(MAX_CELLS / whole.columns.length)));
  const table = { ...whole, rows };
  const left =
    rows.length === length
      ? nothing
      : markup`<p class="more">${texts.more(number(length - rows.length))}</p>`;
  const { unit = '' } = content;
  const tables = columnsFitting(table.columns.length).map((columns, at) =>
    part(table, columns, { unit, isFirst: at === 0, locale }),
  );
  const values = markup`<div class="scroll" tabindex="0" role="region" aria-label="${texts.values}">${tables}${left}</div>`;
  const heading = markup`<h2>${texts.values}</h2>`;
  if (isOpen || length * tables.length <= MAX_OPEN_ROWS) {
    return markup`<section class="card"><div class="head">${heading}${download}</div>${values}</section>`;
  }
  return markup`<section class="card folded"><details><summary>${heading} <span class="count">${texts.rows(number(length))}</span></summary>${values}</details>${download}</section>`;
}

/** Distributes the column numbers evenly over the tables. */
function columnsFitting(count: number): number[][] {
  const all = Array.from({ length: count }, (_, at) => at);
  const size = Math.ceil(count / Math.ceil(count / MAX_COLUMNS));
  return all.filter((at) => at % size === 0).map((from) => all.slice(from, from + size));
}

interface Part {
  unit: string;
  isFirst: boolean;
  locale: Locale;
}

/** Renders some columns of the table, with the row names repeated. */
function part(table: Table, places: readonly number[], { unit, isFirst, locale }: Part): Markup {
  const { corner, columns, rows, totals } = table;
  const cells = (values: readonly Cell[]) =>
    places.map(
      (at) =>
        markup`<td class="value">${locale.cell(values[at], columns[at]?.format ?? 'value', columns[at]?.unit ?? unit)}</td>`,
    );
  const caption = isFirst && unit !== '' ? markup`<caption>${locale.unit(unit)}</caption>` : nothing;
  const head = places.map((at) => markup`<th scope="col" class="value">${columns[at]?.name ?? ''}</th>`);
  const body = rows.map(
    ({ name, values }) => markup`<tr><th scope="row">${locale.row(name, table)}</th>${cells(values)}</tr>\n`,
  );
  const foot =
    totals === undefined
      ? nothing
      : markup`<tfoot><tr><th scope="row">${totals.name}</th>${cells(totals.values)}</tr></tfoot>`;
  return markup`<table class="values">${caption}
<thead><tr>${corner === '' ? markup`<td></td>` : markup`<th scope="col">${corner}</th>`}${head}</tr></thead>
<tbody>${body}</tbody>${foot}</table>`;
}
