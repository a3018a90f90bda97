/**
 * The positions where a spreadsheet may start to parse a formula: at the start, and after the cell or line
 * separators of any locale, with white space or quotes between.
 */
const FORMULA = /(^|[,;|\t\r\n\v\f\u0085\u2028\u2029])([\s"]*)(?=[=+\-@＝＋－＠])/g;

/** Formats a text as a cell of CSV: quoted, and no spreadsheet interprets it or a part of it as a formula. */
const csvText = (text: string) => `"${text.replace(FORMULA, "$1$2'").replaceAll('"', '""')}"`;

/**
 * Formats rows of JSON values as CSV (RFC 4180): numbers as they are, nothing for null or undefined, and everything
 * else as a text.
 */
export const csvRows = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((row) => `${row.map(csvValue).join(',')}\r\n`).join('');

function csvValue(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  return csvText(typeof value === 'string' ? value : JSON.stringify(value));
}
