import { intervalOf, type OverBuckets } from '@switchboard/report-content';
import type { View } from 'vega';
import type { Locale } from '../locale.ts';
import type { Mark } from '../marks.ts';
import { goalText } from '../summary.ts';
import { drawOverBuckets } from './over-buckets.ts';
import { LANE_HEIGHT, lanesOf, overlay, type Plot, stackBadges } from './overlay.ts';
import { textWidth } from './text-width.ts';
import type { Size } from './theme.ts';
import { valueAxis } from './value-axis.ts';

declare module 'vega' {
  /** Measures text widths. vega-scenegraph exports it, but its types omit it. */
  export const textMetrics: { width(item: { fontSize?: number }, text: unknown): number };
}

/** The content of an `svg` element of that size, and the position of its upper edge. */
export interface Drawing {
  width: number;
  height: number;
  top: number;
  content: string;
}

/** One drawing for wide pages and paper, and one for phones. */
export interface Drawings {
  wide: Drawing;
  narrow: Drawing;
}

let loading: Promise<[typeof import('vega'), typeof import('vega-lite')]> | undefined;

/** Loads Vega with the first page instead of at startup, because loading takes a third of a second. */
function load() {
  loading ??= Promise.all([import('vega'), import('vega-lite')]).then((modules) => {
    // Without a canvas, Vega assumes that every letter is as wide as an M and cuts off labels that would fit.
    modules[0].textMetrics.width = ({ fontSize = 11 }, text) => textWidth(String(text ?? ''), fontSize);
    return modules;
  });
  return loading;
}

/** The roles that Vega gives to lines even without `aria`. The image has one role and text. */
const ROLES = / role="graphics-\w+" aria-roledescription="[^"]*"/g;
const UNIT_HEIGHT = 18;
/** The width of the drawing for wide pages. */
const WIDE = 760;
/** The height of a drawing on wide pages and in mails. */
export const HEIGHT = 300;

/** Draws a line or bar chart without a browser. The markup contains no styles, scripts or URLs. */
export async function draw(
  content: OverBuckets,
  marks: Mark[],
  locale: Locale,
  wide = WIDE,
): Promise<Drawings> {
  const drawing = await prepare(content, marks, locale);
  return {
    wide: await drawing({ width: wide, height: HEIGHT }),
    narrow: await drawing({ width: 340, height: 260 }),
  };
}

/** Returns a function that draws a chart in a size, as `draw` does. */
export async function prepare(
  content: OverBuckets,
  marks: Mark[],
  locale: Locale,
): Promise<(size: Size) => Promise<Drawing>> {
  const [{ parse, View: NewView }, { compile }] = await load();
  const titles = titlesOf(content, locale);
  const axis = valueAxis(content, locale);
  return async (size) => {
    const { spec } = compile(drawOverBuckets(content, axis, locale, size));
    const view = new NewView(parse(spec), { renderer: 'none' });
    const svg = await view.toSVG();
    const plot = plotOf(view, content.buckets.length);
    view.finalize();
    const badges = stackBadges(marks, (bucket) => plot.left + plot.start + bucket * plot.step, size.width);
    const above = lanesOf(badges) * LANE_HEIGHT + (axis.unit === '' ? 0 : UNIT_HEIGHT);
    const goal = content.goal && {
      share: shareOf(content.goal.value, axis.ticks),
      label: goalText(content.goal, content.unit, locale),
    };
    const inFront = overlay({ plot, marks, badges, goal, unit: axis.unit, titles, above }).toString();
    const drawn = svg.slice(svg.indexOf('>') + 1, svg.lastIndexOf('</svg>')).replaceAll(ROLES, '');
    return { width: size.width, height: size.height + above, top: -above, content: `${drawn}${inFront}` };
  };
}

/** Returns the position of a value between the lowest and the highest tick, from 0 to 1. */
function shareOf(value: number, ticks: readonly { value: number }[]): number {
  const [low, high] = [ticks[0]?.value ?? 0, ticks.at(-1)?.value ?? 1];
  return (value - low) / (high - low);
}

function plotOf(view: View, buckets: number): Plot {
  const [left = 0, top = 0] = view.origin();
  const { left: paddingLeft = 0, top: paddingTop = 0 } = paddingOf(view);
  const scale = view.scale('x');
  const step = buckets > 1 ? scale(1) - scale(0) : scale.bandwidth();
  return {
    left: left + paddingLeft,
    top: top + paddingTop,
    width: view.width(),
    height: view.height(),
    start: scale(0) - (step - scale.bandwidth()) / 2,
    step,
  };
}

function paddingOf(view: View): { left?: number; top?: number } {
  const padding = view.padding();
  return typeof padding === 'object' ? padding : {};
}

/** Returns the tooltip of each bucket, with the value of each series. */
function titlesOf({ buckets, series, unit, interval: named }: OverBuckets, locale: Locale): string[] {
  const interval = intervalOf(buckets, named);
  const before = interval === 'week' ? `${locale.texts.table.intervals.week} ` : '';
  return buckets.map((bucket, at) => {
    const values = series.flatMap(({ name, values: now, previous }) => [
      `${name}: ${locale.value(now[at], unit)}`,
      ...(previous === undefined
        ? []
        : [`${locale.texts.table.before(name)}: ${locale.value(previous[at], unit)}`]),
    ]);
    return [`${before}${locale.bucket(bucket, interval)}`, ...values].join('\n');
  });
}
