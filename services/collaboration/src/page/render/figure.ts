import { raw } from 'hono/html';
import type { Drawings } from './chart/draw.ts';
import type { ReportContent } from './format.ts';
import { type Markup, markup, nothing } from './markup.ts';
import { summarise } from './summary.ts';

/** The chart with its legend and text alternative. */
export function figure(content: ReportContent, title: string, { wide, narrow }: Drawings): Markup {
  const summary = summarise(content);
  const drawing = (svg: string, name: 'wide' | 'narrow') =>
    withAlternative(svg, `chart-${name}`, title, summary);
  return markup`<figure class="card ${content.kind}">${legend(content)}
<div class="scroll wide" tabindex="0" role="group" aria-label="Chart">${drawing(wide, 'wide')}</div>
<div class="scroll narrow" tabindex="0" role="group" aria-label="Chart">${drawing(narrow, 'narrow')}</div>
</figure>`;
}

/** Names the drawing for screen readers: Vega's markup, its texts escaped by Vega, begins with the svg element. */
function withAlternative(svg: string, id: string, title: string, summary: string): Markup {
  const opened = svg.replace(
    '<svg ',
    `<svg role="img" aria-labelledby="${id}-title" aria-describedby="${id}-summary" `,
  );
  const at = opened.indexOf('>') + 1;
  const alternative = markup`<title id="${id}-title">${title}</title><desc id="${id}-summary">${summary}</desc>`;
  return raw(`${opened.slice(0, at)}${alternative}${opened.slice(at)}`);
}

function legend(content: ReportContent): Markup {
  const series = content.kind === 'grid' ? [] : (content.series ?? []);
  if (series.length < 2 && content.breakdown === undefined) return nothing;
  const swatch = (index: number) =>
    raw(
      `<svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="3" fill="var(--series-${index + 1})"/></svg>`,
    );
  const by =
    content.breakdown === undefined
      ? nothing
      : markup`<li class="legend-title">By ${content.breakdown}:</li>`;
  return markup`<ul class="legend" aria-label="Legend">${by}${series.map(({ name }, index) => markup`<li>${swatch(index)}${name}</li>`)}</ul>`;
}
