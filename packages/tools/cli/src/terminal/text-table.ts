import { stripVTControlCharacters } from 'node:util';
import type { Cell, Column, Table } from '@switchboard/report-content';

const MAX_NAME = 60;
const MAX_WIDTH = 120;
const NUMBERS = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const SHARES = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/**
 * Removes the characters that move a terminal's cursor or change its text direction. Anyone may have sent the text.
 */
export const oneLine = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');

/** Like oneLine, and shortens the text. */
export function printable(text: string): string {
  const line = oneLine(text);
  const letters = [...line];
  return letters.length > MAX_NAME ? `${letters.slice(0, MAX_NAME - 1).join('')}…` : line;
}

function written(value: Cell, { format }: Column): string {
  if (value === undefined) return '';
  if (value === null) return '-';
  if (format === 'share') return SHARES.format(value);
  return format === 'seconds' ? `${NUMBERS.format(value)} s` : NUMBERS.format(value);
}

/** Formats lines of texts in columns of equal width. */
export function textColumns(lines: readonly (readonly string[])[]): string {
  const cells = lines.map((line) => line.map(printable));
  const widths = cells.reduce<number[]>(
    (widest, line) => line.map((text, at) => Math.max(widest[at] ?? 0, [...text].length)),
    [],
  );
  const pad = (text: string, at: number) => text + ' '.repeat((widths[at] ?? 0) - [...text].length);
  return cells.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('');
}

/**
 * Formats a table of a report in columns of equal width, with numbers aligned right. Columns that do not fit on a
 * line follow below, with the row names repeated.
 */
export function textTable({ corner, columns, rows, totals }: Table): string {
  const all = totals === undefined ? rows : [...rows, totals];
  const names = aligned([corner, ...all.map(({ name }) => printable(name))], 'left');
  const numbers = columns.map((column, at) =>
    aligned(
      [printable(column.name), ...all.map(({ values }) => written(values[at], column))].map(
        (text) => `  ${text}`,
      ),
      'right',
    ),
  );
  const blocks: string[][][] = [];
  for (const column of numbers) {
    const block = blocks.at(-1);
    const width = [names, ...(block ?? []), column].reduce((sum, [text = '']) => sum + [...text].length, 0);
    if (block === undefined || width > MAX_WIDTH) blocks.push([column]);
    else block.push(column);
  }
  return blocks
    .map((block) => names.map((name, at) => `${[name, ...block.map((column) => column[at])].join('')}\n`))
    .map((lines) => lines.join(''))
    .join('\n');
}

/** Pads the texts to the width of the longest. */
function aligned(texts: readonly string[], side: 'left' | 'right'): string[] {
  const width = texts.reduce((widest, text) => Math.max(widest, [...text].length), 0);
  return texts.map((text) => {
    const blanks = ' '.repeat(width - [...text].length);
    return side === 'left' ? text + blanks : blanks + text;
  });
}
