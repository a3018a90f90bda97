/** Lines that share axes. Both axes are logarithmic. */
export interface Panel {
  title: string;
  /** The labels of the vertical and the horizontal axis, which go from 1 to `to`. */
  axes: { up: string; right: string; to: number };
  lines: { name: string; unit: string; points: { x: number; value: number }[] }[];
}

const WIDTH = 1_000;
const HEIGHT = 470;
/** The position of a plot within its panel. */
const PLOT = { left: 58, right: 262, top: 62, bottom: 424 };
const SECOND_PANEL = 518;
const LABEL_X = 282;
const LABEL_HEIGHT = 15;
/** Colours that are readable on both backgrounds: [light, dark]. */
const COLOURS = [
  ['#1f5fbf', '#7db2ff'],
  ['#b3470b', '#ff9e64'],
  ['#2c7a3f', '#7fd491'],
  ['#9a2f8f', '#f09be6'],
  ['#8a6a00', '#e8c95a'],
  ['#0f7a80', '#5fd3d9'],
  ['#b1283a', '#ff8f9b'],
  ['#5b4bc4', '#b4a7ff'],
] as const;

const STYLE = `
text { font: 12px system-ui, sans-serif; fill: #3c4043 }
.title { font-size: 14px; font-weight: 600; fill: #202124 }
.back { fill: #ffffff } .grid { stroke: #e3e5e8 } .leader { stroke: #c4c7cc; stroke-dasharray: 1 3 }
path, line { fill: none; stroke-width: 1 } .line { stroke-width: 2; stroke-linejoin: round }
${COLOURS.map(([light], index) => `.c${index} { stroke: ${light} } .f${index} { fill: ${light} }`).join('\n')}
@media (prefers-color-scheme: dark) {
text { fill: #c9ccd1 } .title { fill: #f1f3f4 }
.back { fill: #16181c } .grid { stroke: #2f3338 } .leader { stroke: #5a5f66 }
${COLOURS.map(([, dark], index) => `.c${index} { stroke: ${dark} } .f${index} { fill: ${dark} }`).join('\n')}
}`;

/** Draws panels as SVG, side by side in pairs. */
export function draw(label: string, panels: Panel[]): string {
  const height = HEIGHT * Math.ceil(panels.length / 2);
  const drawn = panels.map((panel, index) => {
    const [x, y] = [(index % 2) * SECOND_PANEL, Math.floor(index / 2) * HEIGHT];
    return `<g transform="translate(${x} ${y})">\n${panelOf(panel)}\n</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">
<style>${STYLE}</style>
<rect class="back" width="${WIDTH}" height="${height}" rx="6"/>
${drawn.join('\n')}
</svg>
`;
}

function panelOf({ title, axes, lines: given }: Panel): string {
  const all = given.filter(({ points }) => points.length > 0);
  if (all.length === 0) return '';
  const values = all.flatMap(({ points }) => points.map(({ value }) => value));
  const from = Math.floor(Math.log10(Math.min(...values)));
  const to = Math.max(from + 1, Math.ceil(Math.log10(Math.max(...values))));
  const x = (at: number) => PLOT.left + ((PLOT.right - PLOT.left) * Math.log10(at)) / Math.log10(axes.to);
  const y = (value: number) =>
    PLOT.bottom - ((PLOT.bottom - PLOT.top) * (Math.log10(value) - from)) / (to - from);
  const parts = [
    `<text class="title" x="${PLOT.left}" y="26">${title}</text>`,
    `<text x="${PLOT.left}" y="46">${axes.up}</text>`,
    `<text x="${(PLOT.left + PLOT.right) / 2}" y="${PLOT.bottom + 38}" text-anchor="middle">${axes.right}</text>`,
  ];
  for (let power = from; power <= to; power++) {
    const at = round(y(10 ** power));
    parts.push(`<path class="grid" d="M${PLOT.left} ${at}H${PLOT.right}"/>`);
    parts.push(`<text x="${PLOT.left - 8}" y="${at + 4}" text-anchor="end">${numeral(10 ** power)}</text>`);
  }
  for (let factor = 1; factor <= axes.to; factor *= 10) {
    const at = round(x(factor));
    parts.push(`<path class="grid" d="M${at} ${PLOT.top}V${PLOT.bottom}"/>`);
    parts.push(`<text x="${at}" y="${PLOT.bottom + 18}" text-anchor="middle">${numeral(factor)}</text>`);
  }
  const lines = all
    .map(({ name, unit, points }) => {
      const at = points.map((point) => ({ x: round(x(point.x)), y: round(y(point.value)) }));
      const end = at.at(-1) ?? { x: 0, y: 0 };
      return { at, end, label: `${name}, ${spoken(points.at(-1)?.value ?? Number.NaN)} ${unit}` };
    })
    .toSorted((a, b) => a.end.y - b.end.y);
  const places = spread(lines.map(({ end }) => end.y));
  for (const [index, { at, end, label }] of lines.entries()) {
    const colour = index % COLOURS.length;
    const place = round(places[index] ?? end.y);
    parts.push(`<path class="leader" d="M${end.x} ${end.y}L${LABEL_X - 4} ${place}"/>`);
    parts.push(
      `<path class="line c${colour}" d="M${at.map((point) => `${point.x} ${point.y}`).join('L')}"/>`,
    );
    for (const point of at)
      parts.push(`<circle class="f${colour}" cx="${point.x}" cy="${point.y}" r="2.5"/>`);
    parts.push(`<text class="f${colour}" x="${LABEL_X}" y="${place + 4}">${escaped(label)}</text>`);
  }
  return parts.join('\n');
}

/** Returns label positions that do not overlap, as close as possible to the wanted ones, in the given order. */
function spread(wanted: number[]): number[] {
  const places: number[] = [];
  for (const place of wanted)
    places.push(Math.max(place, (places.at(-1) ?? Number.NEGATIVE_INFINITY) + LABEL_HEIGHT));
  let limit = PLOT.bottom;
  for (const [index, place] of [...places.entries()].toReversed()) {
    places[index] = Math.min(place, limit);
    limit = (places[index] ?? limit) - LABEL_HEIGHT;
  }
  return places;
}

const round = (value: number) => Math.round(value * 10) / 10;
const numeral = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 6 });
const spoken = (value: number) => value.toLocaleString('en', { maximumSignificantDigits: 2 });
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
