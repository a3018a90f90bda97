import { roundedAmount } from '@switchboard/contracts';
import { stringify } from 'csv-stringify/sync';
import type { Table } from './table.ts';

const csvNumber = (value: number | null | undefined) =>
  value === null || value === undefined ? null : roundedAmount(value);

/**
 * The table as CSV (RFC 4180): numbers as they are, days and hours as they are named, nothing where there is no value.
 * No spreadsheet takes a name for a formula.
 */
export function csvOf({ corner, columns, rows }: Table): string {
  const lines = [
    [corner, ...columns.map(({ name }) => name)],
    ...rows.map(({ name, values }) => [name, ...values.map(csvNumber)]),
  ];
  return stringify(lines, { escape_formulas: true, record_delimiter: 'windows' });
}
