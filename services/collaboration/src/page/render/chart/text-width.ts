/** Widths relative to the font size, as in DejaVu Sans. Most fonts are narrower. */
const WIDTHS: readonly [letters: RegExp, width: number][] = [
  [/[\s.,:;'’!|()ijlftr–-]/u, 0.38],
  [/[%@MWmw]/u, 0.95],
  [/[\u1100-\u11ff\u2e80-\uffef]|[\u{1f000}-\u{3ffff}]/u, 1.03],
];
const OTHERS = 0.63;

/** Estimates the width of a line of text in pixels without a font to measure it. */
export function textWidth(line: string, fontSize: number): number {
  let width = 0;
  for (const letter of line) width += WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? OTHERS;
  return Math.ceil(width * fontSize);
}

/** Cuts a name to a width in pixels. */
export function fitting(name: string, room: number, fontSize: number): string {
  if (textWidth(name, fontSize) <= room) return name;
  const letters = [...name];
  while (letters.length > 1 && textWidth(`${letters.join('')}…`, fontSize) > room) letters.pop();
  return `${letters.join('')}…`;
}
