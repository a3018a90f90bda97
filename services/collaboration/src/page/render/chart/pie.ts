import { type OverBuckets, seriesAmount } from '@switchboard/report-content';
import { headline } from '../headline.ts';
import type { Locale } from '../locale.ts';
import { type Markup, markup, nothing } from '../markup.ts';
import { COLOURS, seriesColour } from './theme.ts';

const RADIUS = 100;
/** The distance of the percentages from the middle, and the smallest share that has one. */
const LABEL_RADIUS = 123;
const LABELLED = 0.04;
const SIZE = 2 * (LABEL_RADIUS + 22);

interface Slice {
  name: string;
  colour: string;
  amount: number;
  /** From 0 to 1. */
  share: number;
  /** The shares of the slices before it. */
  from: number;
}

interface Names {
  title: string;
  /** The prefix of the ids of its elements. */
  id: string;
  heading: string | undefined;
}

/** Renders the share of each series in their total as a pie, the largest first and the others last. */
export function pieFigure(content: OverBuckets, { title, id, heading }: Names, locale: Locale): Markup {
  const { unit } = content;
  const { texts } = locale;
  const named = heading === undefined ? nothing : markup`<h2>${heading}</h2>`;
  const slices = slicesOf(content);
  if (slices.length === 0)
    return markup`<figure class="card pie">${named}<p class="empty">${texts.noValues(heading ?? title)}</p></figure>`;
  const spoken = slices.map(({ name, share }) => `${name}: ${locale.share(share)}.`);
  const summary = [texts.kinds.pie, ...spoken, texts.inTable].join(' ');
  const rows = slices.map(
    ({ name, colour, amount, share }) =>
      markup`<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="3" fill="${colour}"/></svg><span>${name}</span><span class="amount">${locale.value(amount, unit)}</span><strong class="amount">${locale.share(share)}</strong></li>`,
  );
  return markup`<figure class="card pie">${named}${headline(content, locale)}<div><svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-summary" viewBox="${-SIZE / 2} ${-SIZE / 2} ${SIZE} ${SIZE}"><title id="${id}-title">${heading ?? title}</title><desc id="${id}-summary">${summary}</desc>${slices.map(drawSlice)}${slices.map((slice) => label(slice, locale))}</svg><ul class="slices" aria-label="${texts.legend}">${rows}</ul></div></figure>`;
}

/** Returns the slices of the series with a total above zero. The others, which have no colour, are last. */
function slicesOf({ series, unit }: OverBuckets): Slice[] {
  const amounts = series
    .map((one, index) => ({
      name: one.name,
      colour: seriesColour(index),
      isRest: index >= COLOURS,
      amount: seriesAmount(one, unit).total ?? 0,
    }))
    .filter(({ amount }) => amount > 0)
    .sort((one, other) => Number(one.isRest) - Number(other.isRest) || other.amount - one.amount);
  const whole = amounts.reduce((sum, { amount }) => sum + amount, 0);
  let from = 0;
  return amounts.map(({ name, colour, amount }) => {
    const share = amount / whole;
    const slice = { name, colour, amount, share, from };
    from += share;
    return slice;
  });
}

/** Returns a point, clockwise from the top. */
function pointAt(share: number, radius: number): string {
  const angle = 2 * Math.PI * share;
  return `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
}

function drawSlice({ colour, share, from }: Slice): Markup {
  // An arc that ends where it starts draws nothing.
  if (share === 1) return markup`<circle r="${RADIUS}" fill="${colour}"/>`;
  const [start, end] = [pointAt(from, RADIUS), pointAt(from + share, RADIUS)];
  return markup`<path d="M0 0L${start}A${RADIUS} ${RADIUS} 0 ${share > 0.5 ? 1 : 0} 1 ${end}Z" fill="${colour}"/>`;
}

function label({ share, from }: Slice, locale: Locale): Markup {
  if (share < LABELLED) return nothing;
  const [x, y] = pointAt(from + share / 2, LABEL_RADIUS).split(' ');
  return markup`<text x="${x}" y="${y}" dy="0.32em" aria-hidden="true">${locale.share(share)}</text>`;
}
