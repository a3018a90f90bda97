/** The logo's blue. Pages use `--accent`, which is lighter in the dark scheme. */
export const ACCENT = '#2f4ff0';

interface Colour {
  light: string;
  dark: string;
}

/**
 * Colours by role, in both schemes. Pages use the custom properties of `tokens`. Emails cannot use custom properties.
 */
export const colours = {
  text: { light: '#1c1b19', dark: '#edebe6' },
  'text-muted': { light: '#62605a', dark: '#a5a29a' },
  surface: { light: '#faf9f7', dark: '#161513' },
  raised: { light: '#ffffff', dark: '#1f1e1b' },
  sunken: { light: '#f1efea', dark: '#121110' },
  line: { light: '#e3e0da', dark: '#35332f' },
  accent: { light: ACCENT, dark: '#8ca0ff' },
  'on-accent': { light: '#ffffff', dark: '#12131c' },
  danger: { light: '#b3261e', dark: '#ff8a80' },
  warning: { light: '#8a5a00', dark: '#f0b95a' },
  good: { light: '#17754a', dark: '#4cc38a' },
} as const satisfies Record<string, Colour>;

/**
 * The colours of a chart's series, in order. They have a contrast of 3:1 with `surface` and `raised`, and are
 * distinguishable for people with deuteranopia, protanopia and tritanopia. A search in OKLCH for the largest minimum
 * distance found them.
 */
export const series: readonly Colour[] = [
  { light: '#2f4ff0', dark: '#8ca0ff' },
  { light: '#a3602a', dark: '#e55514' },
  { light: '#10a18d', dark: '#26d6a1' },
  { light: '#a57dda', dark: '#ffc0fc' },
  { light: '#c3820d', dark: '#eca209' },
  { light: '#025d88', dark: '#2987bb' },
  { light: '#9e004f', dark: '#b65872' },
  { light: '#1c4a01', dark: '#a8f94e' },
];

/** The colours of small to large values, such as those of countries on a map. The contrast with the page grows. */
export const scale: readonly Colour[] = [
  { light: '#bdd0ff', dark: '#2d3f72' },
  { light: '#86a7fe', dark: '#405ba9' },
  { light: '#547bf7', dark: '#597ce2' },
  { light: '#2a47e2', dark: '#84a5ff' },
  { light: '#121a9d', dark: '#c7d7ff' },
];

const numbered = (name: string, list: readonly Colour[]) =>
  list.map((colour, at): [string, Colour] => [`${name}-${at + 1}`, colour]);

/** The custom properties with colours, by their name without `--`. */
export const properties: ReadonlyMap<string, Colour> = new Map([
  ...Object.entries<Colour>(colours),
  ...numbered('series', series),
  ...numbered('scale', scale),
]);
const declarations = [...properties].map(
  ([name, { light, dark }]) => `--${name}:light-dark(${light},${dark})`,
);

/**
 * The custom properties of every page: `--text` and the other roles, `--series-1` to `--series-8`, `--scale-1` to
 * `--scale-5`, fonts. Print is light.
 */
export const tokens = `:root{color-scheme:light dark;${declarations.join(';')};--radius:6px;--sans:Inter,system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,monospace}
@media print{:root{color-scheme:light}}`;
