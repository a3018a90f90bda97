import { roundedAmount } from '@switchboard/contracts';
import type { Cell, Table } from './table.ts';

/**
 * Where a spreadsheet may begin to read a formula: at the start, and after what separates cells or lines in the country
 * of a reader, with white space or quotes between.
 */
const FORMULA = /(^|[,;|\t\r\n\v\f\u0085\u2028\u2029])([\s"]*)(?=[=+\-@＝＋－＠])/g;

const csvText = (text: string) => `"${text.replace(FORMULA, "$1$2'").replaceAll('"', '""')}"`;

const csvNumber = (value: Cell) =>
  value === null || value === undefined ? '' : String(roundedAmount(value));

/**
 * The table as CSV (RFC 4180): numbers as they are, days and hours as they are named, nothing where there is no value.
 * Every text is in quotes, and no spreadsheet takes one, or a part of one, for a formula.
 */
export function csvOf({ corner, columns, rows }: Table): string {
  const lines = [
    [corner, ...columns.map(({ name }) => name)].map(csvText),
    ...rows.map(({ name, values }) => [csvText(name), ...values.map(csvNumber)]),
  ];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}
