import { type Funnel, stepBefore } from '@switchboard/report-content';
import { seriesColour } from './chart/theme.ts';
import { type Drawn, largestOf } from './drawn.ts';
import { legend } from './figure.ts';
import { headline } from './headline.ts';
import type { Locale } from './locale.ts';
import { type Markup, markup, nothing } from './markup.ts';

interface Bar {
  /** Empty if the step is not split. */
  name: string;
  count: number;
  /** The count of the first step. */
  first: number;
}

/** Renders a bar as wide as the card for each step. Between steps, shows the drop-off and the time taken. */
export function funnelFigure(content: Funnel, title: string, locale: Locale): Markup {
  const drawn = drawnOf(content, locale);
  const { steps, series: parts = [] } = drawn.content;
  // A single part covers the whole of each step, so only the legend names it.
  const series = parts.length > 1 ? parts : undefined;
  const { number, share } = locale;
  const largest = Math.max(...(series ?? []).flatMap(({ values }) => values.map((value) => value ?? 0)), 0);
  const items = steps.map(({ name: own, count, optional }, at) => {
    const name = optional === true ? locale.texts.table.optional(own) : own;
    const first = steps[0]?.count ?? 0;
    const whole = { name: '', count, first };
    const bars =
      series === undefined
        ? bar(whole, 0, first, name, locale)
        : series.map((part, index) =>
            bar(
              { name: part.name, count: part.values[at] ?? 0, first: part.values[0] ?? 0 },
              index,
              largest,
              name,
              locale,
            ),
          );
    const reached = first > 0 ? share(count / first) : '–';
    return markup`<li>${at === 0 ? nothing : between(content, at, locale)}<div class="step"><span>${name}</span><span class="amount"><strong>${number(count)}</strong> ${reached}</span></div>${bars}</li>\n`;
  });
  return markup`<figure class="card funnel">${headline(content, locale)}${legend(drawn, locale)}<ol class="steps" aria-label="${title}">${items}</ol></figure>`;
}

/** Selects the parts with the most people at the first step. */
function drawnOf(content: Funnel, { texts, number }: Locale): Drawn<Funnel> {
  const { drawn, left } = largestOf(content.series ?? [], ({ values }) => values[0] ?? 0);
  if (left.length === 0) return { content, others: '' };
  return { content: { ...content, series: drawn }, others: texts.others(number(left.length)) };
}

function between({ steps }: Funnel, at: number, { texts, number, share, duration }: Locale): Markup {
  const before = stepBefore(steps, at)?.count ?? 0;
  const { count = 0, optional, medianSeconds } = steps[at] ?? {};
  const lost = before - count;
  const lossText = optional === true ? texts.skipped : texts.lost;
  const loss = lossText(number(lost), share(before > 0 ? lost / before : null));
  const time =
    medianSeconds === undefined || medianSeconds === null
      ? nothing
      : markup`<span>${texts.median(duration(medianSeconds))}</span>`;
  return markup`<p class="between"><span aria-hidden="true">↓</span><span>${loss}</span>${time}</p>`;
}

function bar(
  { name, count, first }: Bar,
  index: number,
  largest: number,
  step: string,
  locale: Locale,
): Markup {
  const reached = locale.share(first > 0 ? count / first : null);
  const width = largest > 0 ? Math.min((count / largest) * 100, 100).toFixed(2) : '0';
  const title = [step, `${name === '' ? '' : `${name}: `}${locale.number(count)} · ${reached}`].join('\n');
  const drawn = markup`<svg class="bar" width="100%" height="26" aria-hidden="true"><rect class="track" width="100%" height="26" rx="4"/><rect width="${width}%" height="26" rx="4" fill="${seriesColour(index)}"/><rect class="hit" width="100%" height="26"><title>${title}</title></rect></svg>`;
  if (name === '') return drawn;
  return markup`<div class="part"><span>${name}</span>${drawn}<span class="amount">${locale.number(count)} ${reached}</span></div>`;
}
