import type { OverBuckets } from '@switchboard/report-content';
import { className, drawMap, MAP_SIZE, type MapDrawing } from '@switchboard/report-content/map';
import { headline } from '../headline.ts';
import type { Locale } from '../locale.ts';
import { type Markup, markup, nothing } from '../markup.ts';

/** The countries that the description names. The table has all. */
const MAX_SPOKEN = 5;

interface Names {
  title: string;
  /** The prefix of the ids of its elements. */
  id: string;
  heading: string | undefined;
}

/** Renders countries in the colours of their values, with a legend of the classes of values. */
export function mapFigure(content: OverBuckets, names: Names, locale: Locale): Markup {
  const { unit, breakdown } = content;
  const { texts } = locale;
  const { title, heading } = names;
  const named = heading === undefined ? nothing : markup`<h2>${heading}</h2>`;
  const drawing = drawMap(content);
  if (drawing.countries.length === 0)
    return markup`<figure class="card map">${named}${headline(content, locale)}<p class="empty">${texts.noValues(heading ?? title)}</p></figure>`;
  const by = breakdown === undefined ? nothing : markup`<li class="legend-title">${texts.by(breakdown)}</li>`;
  const classes = legendOf(drawing, unit, locale).map(
    ({ name, colour }) =>
      markup`<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="3" fill="${colour}"/></svg>${name}</li>`,
  );
  const others =
    drawing.left === 0
      ? nothing
      : markup`<li class="others">${texts.others(locale.number(drawing.left))}</li>`;
  return markup`<figure class="card map">${named}${headline(content, locale)}${mapOf(drawing, { ...names, unit, width: MAP_SIZE.width }, locale)}<ul class="legend" aria-label="${texts.legend}">${by}${classes}${others}</ul></figure>`;
}

/** Returns the classes of values, each with its colour. */
export const legendOf = ({ classes }: MapDrawing, unit: string | undefined, { value }: Locale) =>
  classes.map((one) => ({
    name: className(one, (end) => value(end, unit === '%' ? unit : '')),
    colour: scaleColour(one),
  }));

const scaleColour = ({ colour }: { colour: number }) => `var(--scale-${colour})`;

/** Describes a map in words: the countries with the largest values. */
export function mapSummary(
  { countries }: MapDrawing,
  unit: string | undefined,
  { texts, country, value }: Locale,
): string {
  const spoken = countries
    .slice(0, MAX_SPOKEN)
    .map((one) => `${country(one.code)}: ${value(one.value, unit)}.`);
  return [texts.kinds.map, ...spoken, texts.inTable].join(' ');
}

/** Draws a map as an `svg` element. */
export function mapOf(
  drawing: MapDrawing,
  { title, id, heading, unit, width }: Names & { unit: string | undefined; width: number },
  locale: Locale,
): Markup {
  const { countries, others } = drawing;
  const nameOf = ({ code, value }: MapDrawing['countries'][number]) =>
    markup`<title>${locale.country(code)}: ${locale.value(value, unit)}</title>`;
  const areas = countries
    .filter(({ isDot }) => !isDot)
    .map((one) => markup`<path class="area" d="${one.d}" fill="${scaleColour(one)}">${nameOf(one)}</path>`);
  const small = countries.filter(({ isDot }) => isDot).toReversed();
  const halo =
    small.length === 0
      ? nothing
      : markup`<path class="halo" d="${small.map(({ d }) => d).join('')}" vector-effect="non-scaling-stroke"/>`;
  const dots = small.map(
    (one) =>
      markup`<path class="dot" d="${one.d}" stroke="${scaleColour(one)}" vector-effect="non-scaling-stroke">${nameOf(one)}</path>`,
  );
  const height = Math.round((width * MAP_SIZE.height) / MAP_SIZE.width);
  return markup`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-summary" width="${width}" height="${height}" viewBox="0 0 ${MAP_SIZE.width} ${MAP_SIZE.height}"><title id="${id}-title">${heading ?? title}</title><desc id="${id}-summary">${mapSummary(drawing, unit, locale)}</desc><path class="land" d="${others}"/>${areas}${halo}${dots}</svg>`;
}
