import { chartsOf, daysOfBuckets, displayOf, type OverBuckets, PEOPLE } from '@switchboard/report-content';
import type { Note } from '../../../annotations/annotations.ts';
import { drawnOf } from '../drawn.ts';
import { figure, numberFigure } from '../figure.ts';
import type { Locale } from '../locale.ts';
import { type Mark, marksOn } from '../marks.ts';
import { type Markup, markup, nothing } from '../markup.ts';
import { draw } from './draw.ts';
import { mapFigure } from './map.ts';
import { pieFigure } from './pie.ts';

/** The maximum number of charts. The table shows the values of the others. */
const MAX_CHARTS = 6;

/**
 * Renders the charts of a report over buckets, one per unit, with their annotations. `id` begins their ids, and
 * `width` is that of the drawings for wide pages.
 */
export async function figures(
  content: OverBuckets,
  { title, id, notes, width }: { title: string; id: string; notes: Note[]; width?: number | undefined },
  locale: Locale,
) {
  const days = daysOfBuckets(content.buckets);
  const marks = days === undefined ? [] : marksOn(days, notes);
  const charts: Markup[] = [];
  for (const [at, { chart, heading }] of chartsWithHeadings(content, locale).entries()) {
    if (displayOf(content) === 'number') {
      charts.push(numberFigure(chart, heading, locale));
      continue;
    }
    if (displayOf(content) === 'map') {
      charts.push(mapFigure(chart, { title, id: `${id}-${at + 1}`, heading }, locale));
      continue;
    }
    if (displayOf(content) === 'pie') {
      charts.push(pieFigure(chart, { title, id: `${id}-${at + 1}`, heading }, locale));
      continue;
    }
    const drawn = drawnOf(chart, locale);
    const drawings = await draw(drawn.content, marks, locale, width);
    charts.push(figure(chart, drawn, { title, id: `${id}-${at + 1}`, heading }, drawings, locale));
  }
  const left = chartsOf(content)
    .slice(MAX_CHARTS)
    .reduce((sum, { series }) => sum + series.length, 0);
  const others =
    left === 0 ? nothing : markup`<p class="others">${locale.texts.others(locale.number(left))}</p>`;
  return markup`${charts}${others}${noteList(marks, notes, locale)}`;
}

/** Returns the charts of a report that are drawn, with their headings. */
export function chartsWithHeadings(
  content: OverBuckets,
  locale: Locale,
): { chart: OverBuckets; heading: string | undefined }[] {
  return chartsOf(content)
    .slice(0, MAX_CHARTS)
    .map((one) => {
      const heading = headingOf(one, content, locale);
      return { chart: withoutRepeatedUnit(one, heading), heading };
    });
}

/** Returns the heading that distinguishes the charts of a report with several units. */
function headingOf(chart: OverBuckets, { series }: OverBuckets, locale: Locale): string | undefined {
  if (chart.series.length === series.length) return undefined;
  const [first] = chart.series;
  return chart.series.length === 1 && first ? first.name : locale.unit(chart.unit ?? '');
}

/** Removes the unit from the numbers of a chart if its heading names the unit. */
function withoutRepeatedUnit(chart: OverBuckets, heading = ''): OverBuckets {
  const { unit = '' } = chart;
  if (unit === '%' || unit === PEOPLE || !heading.includes(unit)) return chart;
  return { ...chart, unit: undefined, series: chart.series.map((one) => ({ ...one, unit: undefined })) };
}

function noteList(marks: Mark[], notes: Note[], locale: Locale): Markup {
  const items = marks.flatMap(({ number }) => {
    const note = notes[number - 1];
    return note === undefined ? [] : [noteItem(number, note, locale)];
  });
  if (items.length === 0) return nothing;
  return markup`<section class="card"><h2>${locale.texts.annotations}</h2><ol class="notes">${items}</ol></section>`;
}

function noteItem(number: number, { startsOn, endsOn, text, tags }: Note, { day }: Locale): Markup {
  const days = startsOn === endsOn ? day(startsOn) : `${day(startsOn)} – ${day(endsOn)}`;
  return markup`<li><span class="number" aria-hidden="true">${number}</span><div>${text}<div class="days">${days} ${tags.map((tag) => markup` <span class="tag">${tag}</span>`)}</div></div></li>\n`;
}
