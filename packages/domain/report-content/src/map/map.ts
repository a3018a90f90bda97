import type { OverBuckets } from '../content.ts';
import { rangeAmount } from '../totals.ts';
import { classAt, classesOf, type MapClass } from './classes.ts';
import { POINTS, SHAPES } from './shapes.ts';

/** A country with a value. */
export interface DrawnCountry {
  /** The index of its series. */
  series: number;
  code: string;
  value: number;
  previous: number | null | undefined;
  /** The number of the colour of its class. */
  colour: number;
  /** The outline as the `d` of an SVG path, or the position of a country that is too small for one, drawn as a dot. */
  d: string;
  isDot: boolean;
}

/** A map of the world in a view box of `MAP_SIZE`. */
export interface MapDrawing {
  classes: MapClass[];
  /** The outlines of the countries without a value, as the `d` of one path. */
  others: string;
  /** The countries with a value, the largest first. */
  countries: DrawnCountry[];
  /** The number of series that have a value but are not on the map. */
  left: number;
}

/** Draws a report with a series for each country, named by its ISO 3166-1 alpha-2 code. */
export function drawMap(content: OverBuckets): MapDrawing {
  const countries: Omit<DrawnCountry, 'colour'>[] = [];
  let left = 0;
  for (const [series, one] of content.series.entries()) {
    const { total: value, previousTotal: previous } = rangeAmount(content, one);
    if (value === null) continue;
    const place = one.builtIn === undefined ? placeOf(one.name) : undefined;
    if (place === undefined) left++;
    else countries.push({ series, code: one.name, value, previous, ...place });
  }
  const classes = classesOf(countries.map(({ value }) => value));
  const shown = new Set(countries.map(({ code }) => code));
  const others = Object.entries(SHAPES).flatMap(([code, d]) => (shown.has(code) ? [] : [d]));
  return {
    classes,
    others: others.join(''),
    countries: countries
      .map((one) => ({ ...one, colour: classAt(classes, one.value).colour }))
      .sort((one, other) => other.value - one.value),
    left,
  };
}

function placeOf(code: string): Pick<DrawnCountry, 'd' | 'isDot'> | undefined {
  // The name of a series may be that of a property of every object.
  const d = Object.hasOwn(SHAPES, code) ? SHAPES[code] : undefined;
  if (d !== undefined) return { d, isDot: false };
  const [x, y] = Object.hasOwn(POINTS, code) ? (POINTS[code] ?? []) : [];
  return x === undefined || y === undefined ? undefined : { d: `M${x} ${y}h0`, isDot: true };
}
