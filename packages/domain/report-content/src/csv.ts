import { roundedAmount } from '@switchboard/contracts';
import { csvText } from './csv-text.ts';
import type { Cell, Table } from './table.ts';

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
