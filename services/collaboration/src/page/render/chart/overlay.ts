import type { Mark } from '../marks.ts';
import { type Markup, markup, nothing } from '../markup.ts';
import { fitting } from './text-width.ts';
import { LABEL_SIZE } from './theme.ts';

/** The position of the plot in the drawing, in pixels. */
export interface Plot {
  left: number;
  top: number;
  width: number;
  height: number;
  /** The left edge of the first bucket in the plot, and the width of each bucket. */
  start: number;
  step: number;
}

/** The number of an annotation, or of several, on one of the lines above the plot. */
export interface Badge {
  label: string;
  first: number;
  lane: number;
  x: number;
  width: number;
}

export const LANE_HEIGHT = 20;
const MAX_LANES = 6;
const GAP = 3;

const widthOf = (label: string) => 10 + label.length * 7;

/**
 * Stacks the numbers of annotations that overlap. A number that fits on no line is merged into the last badge of
 * the top line. `xOf` returns the left edge of a bucket. Badges end before `right`.
 */
export function stackBadges(marks: readonly Mark[], xOf: (bucket: number) => number, right: number): Badge[] {
  const badges: Badge[] = [];
  const tops: (Badge | undefined)[] = Array.from({ length: MAX_LANES });
  const inOrder = marks.toSorted((one, other) => one.first - other.first || one.number - other.number);
  for (const { number, first } of inOrder) {
    const label = String(number);
    const width = widthOf(label);
    const x = Math.max(Math.min(xOf(first), right - width), 0);
    const lane = tops.findIndex((badge) => badge === undefined || badge.x + badge.width + GAP <= x);
    const top = tops[MAX_LANES - 1];
    if (lane >= 0) {
      const badge = { label, first, lane, x, width };
      tops[lane] = badge;
      badges.push(badge);
    } else if (top !== undefined) {
      top.label = `${top.label.split('–')[0]}–${label}`;
      top.width = widthOf(top.label);
      top.x = Math.max(Math.min(top.x, right - top.width), 0);
    }
  }
  return badges;
}

/** Returns the number of lines of badges. */
export const lanesOf = (badges: readonly Badge[]) =>
  badges.reduce((most, { lane }) => Math.max(most, lane + 1), 0);

interface Overlay {
  plot: Plot;
  marks: readonly Mark[];
  badges: readonly Badge[];
  /** The goal, and its position from the bottom of the plot, from 0 to 1. */
  goal: { share: number; label: string } | undefined;
  /** The unit above the axis. Empty: no unit. */
  unit: string;
  /** The tooltip of each bucket. */
  titles: readonly string[];
  /** The space above the drawing, in pixels. */
  above: number;
}

/** Renders the layer in front of the marks: annotations, the goal, the unit, and an area with a tooltip for each bucket. */
export function overlay({ plot, marks, badges, goal, unit, titles, above }: Overlay): Markup {
  const { left, top, height, start, step } = plot;
  const xOf = (bucket: number) => round(left + start + bucket * step);
  const bottom = top + height;
  const bands = marks.map(
    ({ first, last }) =>
      markup`<rect class="band" x="${xOf(first)}" y="${top}" width="${round((last - first + 1) * step)}" height="${height}"/>`,
  );
  const rules = badges.map(({ first, lane }) => {
    const x = xOf(first);
    return markup`<path class="rule" d="M${x},${top - lane * LANE_HEIGHT - 4}V${bottom}"/>`;
  });
  const numbers = badges.map(({ label, lane, x, width }) => {
    const y = top - (lane + 1) * LANE_HEIGHT;
    return markup`<g class="badge"><rect x="${round(x)}" y="${y}" width="${width}" height="17" rx="8.5"/><text x="${round(x + width / 2)}" y="${y + 12.5}">${label}</text></g>`;
  });
  const areas = titles.map(
    (title, bucket) =>
      markup`<rect class="hit" x="${xOf(bucket)}" y="${top}" width="${round(step)}" height="${height}"><title>${title}</title></rect>`,
  );
  const named = unit === '' ? nothing : markup`<text class="unit" x="0" y="${12 - above}">${unit}</text>`;
  return markup`${named}${bands}${rules}${numbers}${goalLine(plot, goal)}${areas}`;
}

/** Draws a goal across the plot. Its label is above the line, or below it at the top of the plot. */
function goalLine({ left, top, width, height }: Plot, goal: Overlay['goal']): Markup {
  if (goal === undefined) return nothing;
  const y = round(top + height * (1 - goal.share));
  const right = left + width;
  const below = y - top < LABEL_SIZE + GAP;
  const label = fitting(goal.label, width, LABEL_SIZE);
  return markup`<g class="goal"><path d="M${left},${y}H${right}"/><text x="${right}" y="${below ? y + LABEL_SIZE + GAP : y - GAP * 2}">${label}</text></g>`;
}

const round = (value: number) => Math.round(value * 100) / 100;
