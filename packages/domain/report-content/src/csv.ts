import { roundedAmount } from '@switchboard/contracts';
import type { Cell, Table } from './table.ts';

/**
 * The positions where a spreadsheet may start to parse a formula: at the start, and after the cell or line
 * separators of any locale, with white space or quotes between.
 */
const FORMULA = /(^|[,;|\t\r\n\v\f\u0085\u2028\u2029])([\s"]*)(?=[=+\-@＝＋－＠])/g;

/** Formats a text as a cell of CSV: quoted, and no spreadsheet interprets it or a part of it as a formula. */
export const csvText = (text: string) => `"${text.replace(FORMULA, "$1$2'").replaceAll('"', '""')}"`;

const csvNumber = (value: Cell) =>
  value === null || value === undefined ? '' : String(roundedAmount(value));

/**
 * Formats the table as CSV (RFC 4180): numbers unformatted, days and hours by name, and nothing for a missing value.
 * Every text is quoted, and no spreadsheet interprets it or a part of it as a formula.
 */
export function csvOf({ corner, columns, rows }: Table): string {
  const lines = [
    [corner, ...columns.map(({ name }) => name)].map(csvText),
    ...rows.map(({ name, values }) => [csvText(name), ...values.map(csvNumber)]),
  ];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}
