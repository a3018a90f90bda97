import { type Grid, intervalOf, tableOf } from '@switchboard/report-content';
import { headline } from './headline.ts';
import type { Locale } from './locale.ts';
import { type Markup, markup, nothing } from './markup.ts';

/** The number of shades in the style sheet, from the lightest. */
const SHADES = 9;

/** Renders a table with darker cells for larger values. The first column, with the sizes, stays visible. */
export function gridFigure(content: Grid, title: string, locale: Locale, download: Markup): Markup {
  const { rows, periods, unit } = content;
  const { texts } = locale;
  const interval = intervalOf(
    rows.map(({ name }) => name),
    content.interval,
  );
  const values = rows.flatMap((row) => row.values).filter((value) => value !== null);
  const [least, most] = values.reduce(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [0, 1],
  );
  const shade = (value: number) =>
    Math.min(Math.floor(((value - least) / (most - least)) * SHADES), SHADES - 1);
  const hasSizes = rows.some(({ size }) => size !== undefined);
  const averages = tableOf(content, texts.table).totals;
  const shown = unit === '%' ? unit : '';

  const cell = (value: number | null | undefined, title: string) =>
    value === null || value === undefined
      ? markup`<td></td>`
      : markup`<td class="value s${shade(value)}" title="${title}">${locale.value(value, shown)}</td>`;
  const body = rows.map(({ name, size, values: of }) => {
    const label = locale.bucket(name, interval);
    const cells = periods.map((period, at) => cell(of[at], `${label}, ${period}`));
    return markup`<tr><th scope="row">${label}${sizeOf(size, locale)}</th>${cells}</tr>\n`;
  });
  const foot =
    averages === undefined
      ? nothing
      : markup`<tfoot><tr><th scope="row">${averages.name}${sizeOf(averages.values[0] ?? undefined, locale)}</th>${averages.values.slice(1).map((value) => markup`<td class="value">${value === undefined ? '' : locale.value(round(value), shown)}</td>`)}</tr></tfoot>`;
  const corner = interval === undefined ? (content.breakdown ?? '') : texts.table.intervals[interval];
  const sizes = hasSizes ? markup`<span class="size">${texts.table.size}</span>` : nothing;
  const caption = unit === undefined || unit === '%' ? title : `${title} (${locale.unit(unit)})`;
  return markup`<figure class="card grid">${headline(content, locale)}<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="heat"><caption class="hidden">${caption}</caption>
<thead><tr><th scope="col">${corner}${sizes}</th>${periods.map((period) => markup`<th scope="col" class="value">${period}</th>`)}</tr></thead>
<tbody>${body}</tbody>${foot}</table></div>${download}</figure>`;
}

const round = (value: number | null) => (value === null ? null : Math.round(value * 10) / 10);

const sizeOf = (size: number | undefined, locale: Locale) =>
  size === undefined ? nothing : markup`<span class="size">${locale.number(size)}</span>`;
