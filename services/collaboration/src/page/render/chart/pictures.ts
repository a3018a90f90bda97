import { properties } from '@switchboard/design';
import { displayOf, type OverBuckets, type ReportContent } from '@switchboard/report-content';
import { drawMap } from '@switchboard/report-content/map';
import { drawnOf } from '../drawn.ts';
import { picture } from '../figure.ts';
import type { Locale } from '../locale.ts';
import type { Markup } from '../markup.ts';
import { summarise } from '../summary.ts';
import { HEIGHT, prepare } from './draw.ts';
import { chartsWithHeadings } from './figures.ts';
import { legendOf, mapOf, mapSummary } from './map.ts';
import { drawPathsOf } from './paths.ts';
import { drawPie, PIE_SIZE, pieSlices, pieSummary } from './pie.ts';
import { seriesColour } from './theme.ts';

/** A chart that is shown outside the page. */
export interface Picture {
  /** An SVG document in the colours of the light scheme. */
  svg: string;
  /** The width at which it is shown, in pixels. */
  width: number;
  /** Describes the chart in words. */
  alt: string;
  /** The colours of the series. Empty for a single series. */
  legend: { name: string; colour: string }[];
}

const ID = 'chart';

/** Width for the name of an event in paths. */
const LEVEL_WIDTH = 120;
/** Characters without a glyph in the font. */
const UNKNOWN =
  /[^\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{Script=Common}\p{Script=Inherited}]|\p{Extended_Pictographic}/u;

/**
 * Draws the charts of a report as its page does. Leaves out charts with characters that the font lacks. Empty for a
 * report that is a table or list on its page.
 */
export async function picturesOf(
  content: ReportContent,
  title: string,
  width: number,
  locale: Locale,
): Promise<Picture[]> {
  const pictures = await drawAll(content, title, width, locale);
  return pictures.filter(({ svg }) => !UNKNOWN.test(svg));
}

async function drawAll(
  content: ReportContent,
  title: string,
  width: number,
  locale: Locale,
): Promise<Picture[]> {
  if (content.kind === 'paths') {
    const wide = Math.max(width, content.levels.length * LEVEL_WIDTH);
    const svg = drawPathsOf(content, { title, id: ID, width: wide }, locale);
    return [{ svg: inLight(svg), width, alt: `${title}. ${locale.texts.inTable}`, legend: [] }];
  }
  if (content.kind !== 'line' && content.kind !== 'bar') return [];
  const display = displayOf(content);
  if (display === 'number' || display === 'table') return [];
  const pictures: Picture[] = [];
  for (const { chart, heading } of chartsWithHeadings(content, locale)) {
    const names = { title, id: ID, heading };
    if (display === 'pie') pictures.push(...pieOf(chart, names, locale));
    else if (display === 'map') pictures.push(...worldOf(chart, names, width, locale));
    else pictures.push(await chartOf(chart, names, width, locale));
  }
  return pictures;
}

interface Names {
  title: string;
  id: string;
  heading: string | undefined;
}

function pieOf(content: OverBuckets, names: Names, locale: Locale): Picture[] {
  const slices = pieSlices(content, locale);
  if (slices.length === 0) return [];
  return [
    {
      svg: inLight(drawPie(slices, names, locale), OUTLINES),
      width: PIE_SIZE,
      alt: `${names.heading ?? names.title}. ${pieSummary(slices, locale)}`,
      legend: slices.map(({ name, colour }) => ({ name, colour: lightOf(seriesColour(colour)) })),
    },
  ];
}

function worldOf(content: OverBuckets, names: Names, width: number, locale: Locale): Picture[] {
  const { unit } = content;
  const drawing = drawMap(content);
  if (drawing.countries.length === 0) return [];
  return [
    {
      svg: inLight(mapOf(drawing, { ...names, unit, width }, locale), LAND),
      width,
      alt: `${names.heading ?? names.title}. ${mapSummary(drawing, unit, locale)}`,
      legend: legendOf(drawing, unit, locale).map(({ name, colour }) => ({ name, colour: lightOf(colour) })),
    },
  ];
}

async function chartOf(
  chart: OverBuckets,
  { title, id, heading }: Names,
  width: number,
  locale: Locale,
): Promise<Picture> {
  const { content } = drawnOf(chart, locale);
  const summary = summarise(content, locale);
  const drawing = await prepare(content, [], locale);
  const name = heading ?? title;
  const named = content.series.map((one, index) => ({
    name: one.name,
    colour: lightOf(seriesColour(index)),
  }));
  return {
    svg: inLight(picture(await drawing({ width, height: HEIGHT }), id, name, summary)),
    width,
    alt: `${name}. ${summary}`,
    legend: named.length < 2 && content.breakdown === undefined ? [] : named,
  };
}

/** Replaces the custom properties of the page, which only browsers know. */
const lightOf = (text: string) =>
  text.replaceAll(/var\(--([\w-]+)\)/g, (property, name) => properties.get(name)?.light ?? property);

/** The rules of the page's style sheet that concern charts. */
const STYLES = `text{font-family:sans-serif}
.hit{display:none}
.goal path{stroke:var(--text);stroke-width:1.5;stroke-dasharray:6 4;fill:none}
.goal text{fill:var(--text);font-size:12px;font-weight:600;text-anchor:end}
.unit{fill:var(--text-muted);font-size:12px}
.path{fill:var(--text);font-size:12px}
.muted{fill:var(--text-muted)}`;
const OUTLINES = `path,circle{stroke:var(--raised);stroke-width:2}
text{fill:var(--text);font-size:12px;text-anchor:middle}`;

const LAND = `.area{stroke:var(--raised);stroke-width:0.75}
.land{fill:var(--sunken);stroke:var(--line);stroke-width:0.75}
.halo,.dot{stroke-linecap:round}
.halo{stroke:var(--raised);stroke-width:11}
.dot{stroke-width:8}`;

/** Characters that XML does not allow. */
const NOT_XML = /[^\P{Cc}\t\n\r]|\p{Noncharacter_Code_Point}|\p{Cs}/gu;

const TEXTS = /<(title|desc)[^>]*>[^<]*<\/\1>/g;

/** Returns a drawing as a document of its own, without the texts that only screen readers and pointers find. */
function inLight(svg: Markup, more = ''): string {
  const text = svg.toString().replaceAll(TEXTS, '').replaceAll(NOT_XML, ' ');
  const start = text.indexOf('>') + 1;
  return lightOf(`${text.slice(0, start)}<style>${STYLES}${more}</style>${text.slice(start)}`);
}
