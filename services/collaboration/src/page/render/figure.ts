import type { OverBuckets, ReportContent } from '@switchboard/report-content';
import { raw } from 'hono/html';
import type { Drawing, Drawings } from './chart/draw.ts';
import { seriesColour } from './chart/theme.ts';
import type { Drawn } from './drawn.ts';
import { headline } from './headline.ts';
import type { Locale } from './locale.ts';
import { type Markup, markup, nothing } from './markup.ts';
import { summarise } from './summary.ts';

interface Names {
  title: string;
  /** The prefix of the ids of its elements. */
  id: string;
  /** The heading above the chart. */
  heading: string | undefined;
}

/** Renders a line or bar chart with its headline figures, legend and alternative text. */
export function figure(
  content: OverBuckets,
  drawn: Drawn<OverBuckets>,
  { title, id, heading }: Names,
  { wide, narrow }: Drawings,
  locale: Locale,
): Markup {
  const summary = summarise(drawn.content, locale);
  const { chart } = locale.texts;
  const drawing = (one: Drawing, name: 'wide' | 'narrow') =>
    markup`<div class="scroll ${name}" tabindex="0" role="group" aria-label="${chart}">${picture(one, `${id}-${name}`, heading ?? title, summary)}</div>`;
  const named = heading === undefined ? nothing : markup`<h2>${heading}</h2>`;
  return markup`<figure class="card ${content.kind}">${named}${headline(content, locale)}${legend(drawn, locale)}
${drawing(wide, 'wide')}
${drawing(narrow, 'narrow')}
</figure>`;
}

/** Renders the headline figures of a report without a chart. */
export function numberFigure(content: OverBuckets, heading: string | undefined, locale: Locale): Markup {
  const named = heading === undefined ? nothing : markup`<h2>${heading}</h2>`;
  return markup`<figure class="card totals">${named}${headline(content, locale)}</figure>`;
}

/** Embeds the markup of Vega, in which texts are already escaped. */
export function picture(
  { width, height, top, content }: Drawing,
  id: string,
  title: string,
  summary: string,
): Markup {
  return markup`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-summary" width="${width}" height="${height}" viewBox="0 ${top} ${width} ${height}"><title id="${id}-title">${title}</title><desc id="${id}-summary">${summary}</desc>${raw(content)}</svg>`;
}

const swatch = (index: number) =>
  markup`<svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="3" fill="${seriesColour(index)}"/></svg>`;

/** Renders the colour of each series. Empty for a single series without a breakdown. */
export function legend({ content, others }: Drawn<ReportContent>, { texts }: Locale): Markup {
  const { breakdown } = content;
  const series = 'series' in content ? (content.series ?? []) : [];
  if (series.length < 2 && breakdown === undefined) return nothing;
  const by = breakdown === undefined ? nothing : markup`<li class="legend-title">${texts.by(breakdown)}</li>`;
  const items = series.map(({ name }, index) => markup`<li>${swatch(index)}${name}</li>`);
  const rest = others === '' ? nothing : markup`<li class="others">${others}</li>`;
  return markup`<ul class="legend" aria-label="${texts.legend}">${by}${items}${rest}</ul>`;
}
