import type { Cell, Table } from '@switchboard/report-content';
import type { Locale } from '../page/render/locale.ts';
import { type Markup, markup, nothing } from '../page/render/markup.ts';

/** Rows of a mail. */
const MAX_ROWS = 31;
/** Columns of numbers that fit the width of a mail. */
const MAX_COLUMNS = 4;
const MAX_NAME = 40;

/** A table of a report with texts as cells, cut to fit a mail or a chat message. */
export interface MailTable {
  /** The unit of the values. Empty: none. */
  unit: string;
  head: string[];
  rows: string[][];
  /** The last row, with totals or averages. */
  totals: string[] | undefined;
  /** Whether rows or columns were left out. */
  isCut: boolean;
}

const clip = (text: string) => {
  const characters = [...text.replaceAll(/\p{Cc}+/gu, ' ')];
  return characters.length <= MAX_NAME
    ? characters.join('')
    : `${characters.slice(0, MAX_NAME - 1).join('')}…`;
};

/** Formats the newest rows of a table over time, otherwise the first ones. */
export function mailTable(table: Table, unit: string, locale: Locale, maxRows = MAX_ROWS): MailTable {
  const { corner, interval, totals } = table;
  const columns = table.columns.slice(0, MAX_COLUMNS);
  const rows = interval === undefined ? table.rows.slice(0, maxRows) : table.rows.slice(-maxRows);
  const cells = (values: readonly Cell[]) =>
    columns.map((column, at) => locale.cell(values[at], column.format, column.unit ?? unit));
  return {
    unit: locale.unit(unit),
    head: [corner, ...columns.map(({ name }) => clip(name))],
    rows: rows.map(({ name, values }) => [clip(locale.row(name, table)), ...cells(values)]),
    totals: totals && [totals.name, ...cells(totals.values)],
    isCut: columns.length < table.columns.length || rows.length < table.rows.length,
  };
}

/** Renders the table as plain text: names to the left, numbers to the right. */
export function textTable({ head, rows, totals }: MailTable): string {
  const lines = [head, ...rows, ...(totals === undefined ? [] : [totals])];
  const widths = head.map((_, at) => Math.max(...lines.map((line) => [...(line[at] ?? '')].length)));
  return lines
    .map((line) =>
      line
        .map((cell, at) => {
          const gap = ' '.repeat((widths[at] ?? 0) - [...cell].length);
          return at === 0 ? cell + gap : gap + cell;
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const CELL = 'padding:4px 0 4px 12px;text-align:right;border-top:1px solid #8884';
const NAME = 'padding:4px 0;text-align:left;font-weight:400;border-top:1px solid #8884';

/** Renders the table for HTML, with styles in the elements. */
export function htmlTable({ head, rows, totals, unit }: MailTable): Markup {
  const [corner = '', ...names] = head;
  const bold = ';font-weight:600';
  const line = ([name = '', ...cells]: string[], more = '') =>
    markup`<tr><th scope="row" style="${NAME}${more}">${name}</th>${cells.map((cell) => markup`<td style="${CELL}${more}">${cell}</td>`)}</tr>\n`;
  const caption =
    unit === '' ? nothing : markup`<caption style="text-align:right;font-size:12px">${unit}</caption>`;
  return markup`<table width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px;font-size:13px;border-collapse:collapse;font-variant-numeric:tabular-nums">${caption}
<thead><tr><th scope="col" style="padding:4px 0;text-align:left">${corner}</th>${names.map((name) => markup`<th scope="col" style="padding:4px 0 4px 12px;text-align:right">${name}</th>`)}</tr></thead>
<tbody>${rows.map((row) => line(row))}</tbody>${totals === undefined ? nothing : markup`<tfoot>${line(totals, bold)}</tfoot>`}</table>`;
}
