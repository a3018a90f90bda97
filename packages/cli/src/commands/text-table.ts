import { stripVTControlCharacters } from 'node:util';
import type { Cell, Column, Table } from '@switchboard/report-content';

const MAX_NAME = 60;
const NUMBERS = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const SHARES = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** A text of a report, which anybody may have sent, without what moves a terminal's cursor or turns its text. */
export function printable(text: string): string {
  const line = stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  const letters = [...line];
  return letters.length > MAX_NAME ? `${letters.slice(0, MAX_NAME - 1).join('')}…` : line;
}

function written(value: Cell, { format }: Column): string {
  if (value === undefined) return '';
  if (value === null) return '-';
  if (format === 'share') return SHARES.format(value);
  return format === 'seconds' ? `${NUMBERS.format(value)} s` : NUMBERS.format(value);
}

/** Lines of texts in columns of equal width. */
export function textColumns(lines: readonly (readonly string[])[]): string {
  const cells = lines.map((line) => line.map(printable));
  const widths = cells.reduce<number[]>(
    (widest, line) => line.map((text, at) => Math.max(widest[at] ?? 0, [...text].length)),
    [],
  );
  const pad = (text: string, at: number) => text + ' '.repeat((widths[at] ?? 0) - [...text].length);
  return cells.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('');
}

/** A table of a report in columns of equal width, numbers to the right. */
export function textTable({ corner, columns, rows, totals }: Table): string {
  const all = totals === undefined ? rows : [...rows, totals];
  const lines = [
    [corner, ...columns.map(({ name }) => printable(name))],
    ...all.map(({ name, values }) => [
      printable(name),
      ...columns.map((column, at) => written(values[at], column)),
    ]),
  ];
  const widths = lines.reduce<number[]>(
    (widest, line) => line.map((text, at) => Math.max(widest[at] ?? 0, [...text].length)),
    [],
  );
  const pad = (text: string, at: number) => {
    const blanks = ' '.repeat((widths[at] ?? 0) - [...text].length);
    return at === 0 ? text + blanks : blanks + text;
  };
  return lines.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('');
}
