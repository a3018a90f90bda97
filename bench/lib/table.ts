/** Prints rows as a Markdown table with aligned columns, ready to paste into the documentation. */
export function printTable(columns: string[], rows: string[][]): void {
  const widths = columns.map((column, i) =>
    Math.max(column.length, ...rows.map((row) => (row[i] ?? '').length)),
  );
  const line = (cells: string[]) => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  console.log(line(columns));
  console.log(`|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`);
  for (const row of rows) console.log(line(row));
}

export function decimals(value: number, digits = 1): string {
  return value.toFixed(digits);
}

export function thousands(value: number): string {
  return Math.round(value).toLocaleString('en');
}
