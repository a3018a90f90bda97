import { chartsOf, daysOfBuckets, type OverBuckets, PEOPLE } from '@switchboard/report-content';
import type { Note } from '../../../annotations/annotations.ts';
import { drawnOf } from '../drawn.ts';
import { figure } from '../figure.ts';
import type { Locale } from '../locale.ts';
import { type Mark, marksOn } from '../marks.ts';
import { type Markup, markup, nothing } from '../markup.ts';
import { draw } from './draw.ts';

/** The table has what further ones would show. */
const MAX_CHARTS = 6;

/** The charts of a report over buckets, one for each unit, and the annotations on them. */
export async function figures(content: OverBuckets, title: string, notes: Note[], locale: Locale) {
  const days = daysOfBuckets(content.buckets);
  const marks = days === undefined ? [] : marksOn(days, notes);
  const all = chartsOf(content);
  const charts: Markup[] = [];
  for (const [at, one] of all.slice(0, MAX_CHARTS).entries()) {
    const heading = headingOf(one, content, locale);
    const chart = withoutRepeatedUnit(one, heading);
    const drawn = drawnOf(chart, locale);
    const drawings = await draw(drawn.content, marks, locale);
    charts.push(figure(chart, drawn, { title, id: `chart-${at + 1}`, heading }, drawings, locale));
  }
  const left = all.slice(MAX_CHARTS).reduce((sum, { series }) => sum + series.length, 0);
  const others =
    left === 0 ? nothing : markup`<p class="others">${locale.texts.others(locale.number(left))}</p>`;
  return markup`${charts}${others}${noteList(marks, notes, locale)}`;
}

/** Tells the charts of a report with several units apart. */
function headingOf(chart: OverBuckets, { series }: OverBuckets, locale: Locale): string | undefined {
  if (chart.series.length === series.length) return undefined;
  const [first] = chart.series;
  return chart.series.length === 1 && first ? first.name : locale.unit(chart.unit ?? '');
}

/** Numbers under a heading that names their unit go without it. */
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
