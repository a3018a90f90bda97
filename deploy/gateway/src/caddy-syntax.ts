/** A line, a block, or a list of both. */
export type Line = string | { head: string; body: Line[] } | Line[];

export const block = (head: string, body: Line[]): Line => ({ head, body });

/** Returns an environment variable that Caddy substitutes when it reads the file. */
export const setting = (name: string, fallback: string) => `{$${name}:${fallback}}`;

/** Renders lines as `caddy fmt` does: with tabs, and an empty line before each named block. */
export function render(lines: Line[]): string {
  const text = lines.flatMap((line) => {
    const named = typeof line === 'object' && 'head' in line && line.head !== '';
    return [...(named ? [''] : []), ...indented(line, 0)];
  });
  return `${text.join('\n')}\n`;
}

function indented(line: Line, depth: number): string[] {
  const tabs = '\t'.repeat(depth);
  if (typeof line === 'string') return [`${tabs}${line}`];
  if (Array.isArray(line)) return line.flatMap((one) => indented(one, depth));
  const inside = line.body.flatMap((one) => indented(one, depth + 1));
  return [`${tabs}${line.head}${line.head === '' ? '' : ' '}{`, ...inside, `${tabs}}`];
}
