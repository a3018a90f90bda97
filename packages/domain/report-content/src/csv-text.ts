/**
 * The positions where a spreadsheet may start to parse a formula: at the start, and after the cell or line
 * separators of any locale, with white space or quotes between.
 */
const FORMULA = /(^|[,;|\t\r\n\v\f\u0085\u2028\u2029])([\s"]*)(?=[=+\-@＝＋－＠])/g;

/** Formats a text as a cell of CSV: quoted, and no spreadsheet interprets it or a part of it as a formula. */
export const csvText = (text: string) => `"${text.replace(FORMULA, "$1$2'").replaceAll('"', '""')}"`;
