import { roundedAmount } from '@switchboard/contracts';
import { csvRows } from './csv-text.ts';
import type { Table } from './table.ts';

/**
 * Formats the table as CSV (RFC 4180): numbers unformatted, days and hours by name, and nothing for a missing value.
 * Every text is quoted, and no spreadsheet interprets it or a part of it as a formula.
 */
export const csvOf = ({ corner, columns, rows }: Table): string =>
  csvRows([
    [corner, ...columns.map(({ name }) => name)],
    ...rows.map(({ name, values }) => [name, ...values.map((value) => value && roundedAmount(value))]),
  ]);
