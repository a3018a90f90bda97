import { drawSlices, type OverBuckets, PIE_RADIUS, type Slice, slicesOf } from '@switchboard/report-content';
import { headline } from '../headline.ts';
import type { Locale } from '../locale.ts';
import { type Markup, markup, nothing } from '../markup.ts';
import { seriesColour } from './theme.ts';

/** The distance of the percentages from the middle. */
const LABEL_RADIUS = 123;
/** The width and height of a pie with its labels. */
export const PIE_SIZE = 2 * (LABEL_RADIUS + 22);

interface Names {
  title: string;
  /** The prefix of the ids of its elements. */
  id: string;
  heading: string | undefined;
}

/** Renders the share of each series in their total as a pie, the largest first and the others last. */
export function pieFigure(content: OverBuckets, names: Names, locale: Locale): Markup {
  const { unit, breakdown } = content;
  const { texts } = locale;
  const { title, heading } = names;
  const named = heading === undefined ? nothing : markup`<h2>${heading}</h2>`;
  const slices = pieSlices(content, locale);
  if (slices.length === 0)
    return markup`<figure class="card pie">${named}<p class="empty">${texts.noValues(heading ?? title)}</p></figure>`;
  const by = breakdown === undefined ? nothing : markup`<li class="legend-title">${texts.by(breakdown)}</li>`;
  const rows = slices.map(
    ({ name, colour, amount, share }) =>
      markup`<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="3" fill="${seriesColour(colour)}"/></svg><span>${name}</span><span class="amount">${locale.value(amount, unit)}</span><strong class="amount">${locale.share(share)}</strong></li>`,
  );
  return markup`<figure class="card pie">${named}${headline(content, locale)}<div>${drawPie(slices, names, locale)}<ul class="slices" aria-label="${texts.legend}">${by}${rows}</ul></div></figure>`;
}

/** Describes a pie in words. */
export function pieSummary(slices: readonly Slice[], { texts, share }: Locale): string {
  const spoken = slices.map((slice) => `${slice.name}: ${share(slice.share)}.`);
  return [texts.kinds.pie, ...spoken, texts.inTable].join(' ');
}

/** Draws slices as an `svg` element. */
export function drawPie(slices: readonly Slice[], { title, id, heading }: Names, locale: Locale): Markup {
  const drawn = drawSlices(
    slices.map(({ share }) => share),
    LABEL_RADIUS,
  );
  const outlines = slices.map(({ colour }, at) => {
    const d = drawn[at]?.d;
    return d === undefined
      ? markup`<circle r="${PIE_RADIUS}" fill="${seriesColour(colour)}"/>`
      : markup`<path d="${d}" fill="${seriesColour(colour)}"/>`;
  });
  const labels = slices.map(({ share }, at) => {
    const place = drawn[at]?.label;
    return place === undefined
      ? nothing
      : markup`<text x="${place.x}" y="${place.y}" dy="0.32em" aria-hidden="true">${locale.share(share)}</text>`;
  });
  return markup`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-summary" viewBox="${-PIE_SIZE / 2} ${-PIE_SIZE / 2} ${PIE_SIZE} ${PIE_SIZE}"><title id="${id}-title">${heading ?? title}</title><desc id="${id}-summary">${pieSummary(slices, locale)}</desc>${outlines}${labels}</svg>`;
}

/** Returns the slices of a report. */
export const pieSlices = (content: OverBuckets, { texts, number }: Locale): Slice[] =>
  slicesOf(content, (count) => texts.others(number(count)));
