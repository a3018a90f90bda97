import { readFile } from 'node:fs/promises';
import { type GeoPermissibleObjects, type GeoProjection, geoCentroid, geoEqualEarth, geoPath } from 'd3-geo';
import { feature, merge } from 'topojson-client';
import type { GeometryCollection, MultiPolygon, Polygon, Topology } from 'topojson-specification';

/** The generated shapes of the countries on a map. */
export const SHAPES_FILE = new URL('../src/map/shapes.ts', import.meta.url);

type Atlas = Topology<{ countries: GeometryCollection<{ name: string }> }>;
type Area = Polygon | MultiPolygon;

/** Far enough from 180° that no land but a part of Antarctica is cut. */
const WEST = -11;
const WIDTH = 1000;
/** Room for the strokes, and for the circles of small countries. */
const MARGIN = 2;
const POINT_MARGIN = 6;

const ANTARCTICA = 'AQ';

/** Areas without a code in the atlas. ISO 3166 counts Northern Cyprus as Cyprus, and Somaliland as Somalia. */
const UNCODED: Record<string, string> = { Kosovo: 'XK', 'N. Cyprus': 'CY', Somaliland: 'SO' };

interface Part {
  of: string;
  code: string;
  /** The bounds of the centroids of its polygons. */
  west: number;
  south: number;
  east: number;
  north: number;
}

/**
 * Polygons that the atlas draws as a part of another country: territories with a code of their own, and Crimea, which
 * is drawn as part of Ukraine, following resolution 68/262 of the United Nations General Assembly.
 */
const PARTS: readonly Part[] = [
  { of: 'FR', code: 'GF', west: -55, south: 2, east: -51, north: 6 },
  { of: 'NO', code: 'SJ', west: 10, south: 74, east: 34, north: 81 },
  { of: 'RU', code: 'UA', west: 32, south: 44, east: 37, north: 46.5 },
];

/** Longitudes and latitudes of territories that the atlas of small countries lacks, or draws as a part of another one. */
const PLACES: Record<string, readonly [number, number]> = {
  BQ: [-68.27, 12.19],
  CC: [96.83, -12.16],
  CX: [105.63, -10.49],
  GI: [-5.35, 36.14],
  GP: [-61.53, 16.25],
  MQ: [-61.02, 14.65],
  RE: [55.53, -21.13],
  TK: [-171.86, -9.17],
  TV: [179.2, -8.52],
  UM: [166.64, 19.3],
  YT: [45.16, -12.82],
};

async function atlasOf(file: 'countries-110m.json' | 'countries-50m.json'): Promise<Atlas> {
  return JSON.parse(await readFile(new URL(import.meta.resolve(`world-atlas/${file}`)), 'utf8'));
}

/** Returns the alpha-2 code of a numeric one: the canonical form of a locale has it. */
const codeOf = (numeric: string): string | undefined =>
  new Intl.Locale(`und-${numeric.padStart(3, '0')}`).region;

/** Returns the areas of each country, by its code. */
function areasOf(atlas: Atlas): Map<string, Area[]> {
  const areas = new Map<string, Area[]>();
  for (const geometry of atlas.objects.countries.geometries) {
    if (geometry.type !== 'Polygon' && geometry.type !== 'MultiPolygon') continue;
    const { id, properties } = geometry;
    const code = id === undefined ? UNCODED[properties?.name ?? ''] : codeOf(String(id));
    if (code === undefined) continue;
    const polygons = geometry.type === 'Polygon' ? [geometry.arcs] : geometry.arcs;
    for (const arcs of polygons) {
      const polygon: Area = { type: 'Polygon', arcs };
      const own = partAt(code, geoCentroid(feature(atlas, polygon)));
      areas.set(own, [...(areas.get(own) ?? []), polygon]);
    }
  }
  areas.delete(ANTARCTICA);
  return areas;
}

function partAt(country: string, [x, y]: readonly [number, number]): string {
  const part = PARTS.find(
    ({ of, west, south, east, north }) => of === country && west < x && x < east && south < y && y < north,
  );
  return part?.code ?? country;
}

/** Returns a path in whole numbers, as the `d` of SVG, with the differences between its points. */
function pathOf(projection: GeoProjection, area: GeoPermissibleObjects): string {
  const rings = geoPath(projection).digits(0)(area)?.split('Z') ?? [];
  return rings
    .map((ring) => ring.slice(1).split('L').map(pointOf))
    .map(relativePath)
    .join('');
}

function pointOf(text: string): [number, number] {
  const [x = 0, y = 0] = text.split(',').map(Number);
  return [x, y];
}

function relativePath([first = [0, 0], ...others]: readonly [number, number][]): string {
  let [x, y] = first;
  let steps = '';
  for (const [nextX, nextY] of others) {
    const [right, down] = [nextX - x, nextY - y];
    [x, y] = [nextX, nextY];
    if (right !== 0 || down !== 0) steps += `${signed(right)}${signed(down)}`;
  }
  // An area without a size in whole numbers has no outline.
  return steps === '' ? '' : `M${first.join(' ')}l${steps.trim()}z`;
}

/** Writes a number after another one, for which a minus is enough of a separator. */
const signed = (value: number) => (value < 0 ? String(value) : ` ${value}`);

/**
 * Returns the shapes of the countries as a source file: paths in the Equal Earth projection, and points for countries
 * that are too small to have a path.
 */
export async function shapesSource(): Promise<string> {
  const [atlas, detailed] = await Promise.all([
    atlasOf('countries-110m.json'),
    atlasOf('countries-50m.json'),
  ]);
  const merged = [...areasOf(atlas)].map(([code, areas]) => ({ code, land: merge(atlas, areas) }));
  const world: GeoPermissibleObjects = {
    type: 'GeometryCollection',
    geometries: merged.map(({ land }) => land),
  };
  const projection = geoEqualEarth().rotate([WEST, 0]);
  projection.fitWidth(WIDTH - 2 * MARGIN, world);
  const [x, y] = projection.translate();
  projection.translate([x + MARGIN, y + MARGIN]);
  const [, [, bottom]] = geoPath(projection).bounds(world);

  const paths = merged.map(({ code, land }): [string, string] => [code, pathOf(projection, land)]);
  const drawn = new Map(paths.filter(([, path]) => path !== ''));
  const places = new Map<string, readonly [number, number]>([
    ...[...areasOf(detailed)].map(([code, areas]): [string, [number, number]] => [
      code,
      geoCentroid(merge(detailed, areas)),
    ]),
    ...Object.entries(PLACES),
  ]);
  const points = [...places]
    .filter(([code]) => !drawn.has(code))
    .map(([code, place]): [string, number[]] => {
      const [left = 0, top = 0] = projection([...place]) ?? [];
      const within = Math.min(WIDTH - POINT_MARGIN, Math.max(POINT_MARGIN, left));
      return [code, [Math.round(within), Math.round(top)]];
    });
  const licence = await readFile(
    new URL('LICENSE', import.meta.resolve('world-atlas/countries-110m.json')),
    'utf8',
  );
  const lines = (entries: readonly (readonly [string, unknown])[]) =>
    entries
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([code, value]) => `  ${code}: ${JSON.stringify(value)},\n`)
      .join('');
  return `// Generated from world-atlas by generate/main.ts; a test fails when it is stale.
/*!
Shapes of countries: Natural Earth, in the public domain, by world-atlas.

${licence.trim()}
*/
export const MAP_SIZE = { width: ${WIDTH}, height: ${Math.ceil(bottom + MARGIN)} };
/** The outlines of countries by their ISO 3166-1 alpha-2 code. */
export const SHAPES: Readonly<Record<string, string>> = {
${lines([...drawn])}};
/** The places of countries that are too small for an outline. */
export const POINTS: Readonly<Record<string, readonly [x: number, y: number]>> = {
${lines(points)}};
`;
}
