import { logo } from '@switchboard/design';
import {
  chartsOf,
  csvOf,
  daysOfBuckets,
  type OverBuckets,
  parseContent,
  type ReportContent,
  tableOf,
} from '@switchboard/report-content';
import { raw } from 'hono/html';
import type { Note } from '../../annotations/annotations.ts';
import { stopMoment } from '../../public-links/stop-day.ts';
import type { SharedReport } from '../../shared-reports/shared-reports.ts';
import type { PageTexts } from '../texts/texts.ts';
import { draw } from './chart/draw.ts';
import { document } from './document.ts';
import { drawnOf } from './drawn.ts';
import { figure } from './figure.ts';
import { funnelFigure } from './funnel.ts';
import { gridFigure } from './grid.ts';
import type { Locale } from './locale.ts';
import { localise } from './localise.ts';
import { type Mark, marksOn } from './marks.ts';
import { type Markup, markup, nothing } from './markup.ts';
import { renderAnyJson } from './other-content.ts';
import { dataTable, downloadLink } from './table.ts';

/** A page with a single message. */
export function renderPlain([title, text]: PageTexts['missing'], locale: Locale): string {
  const body = markup`<main class="plain"><div>${raw(logo(28))}<h1>${title}</h1><p>${text}</p></div></main>`;
  return document({ title, description: text, body, locale });
}

/** The content of a run, parsed, and its days, on which annotations are shown. */
export interface ParsedRun {
  value: unknown;
  content: ReportContent | undefined;
  days: { from: string; to: string } | undefined;
  /** Bytes of its JSON. */
  size: number;
}

export function parseRun({ run }: SharedReport): ParsedRun {
  const value: unknown = run === undefined ? undefined : JSON.parse(run.body.toString()).report;
  const content = parseContent(value);
  const days = content && 'buckets' in content ? daysOfBuckets(content.buckets) : undefined;
  const [first, last] = [days?.[0], days?.at(-1)];
  const size = (run?.body.length ?? 0) + 1;
  return { value, content, days: first && last && { from: first.from, to: last.to }, size };
}

/** The values of a report as a file; undefined for content in any other format. */
export function renderCsv({ report }: SharedReport, { content }: ParsedRun, { texts }: Locale) {
  return (
    content && {
      name: content.title ?? report.name,
      csv: csvOf(tableOf(localise(content, texts), texts.table)),
    }
  );
}

/** The page of a shared report: a chart with its values, or nested tables for content in any other format. */
export async function renderReport(
  shared: SharedReport,
  parsed: ParsedRun,
  notes: Note[],
  locale: Locale,
): Promise<string> {
  const { project, report, run, expiresOn } = shared;
  const { texts } = locale;
  const content = parsed.content && localise(parsed.content, texts);
  const title = content?.title ?? report.name;
  const chart = content && (await chartOf(content, title, notes, locale));
  const ran = run === undefined ? nothing : markup`<p>${texts.ran}: ${moment(run.ranAt, locale)}</p>`;
  const body = markup`<div class="sheet"><header><p class="project">${raw(logo(28))}${project.name}</p><h1>${title}</h1>
<div class="facts">${ran}<p>${texts.expires}: ${moment(stopMoment(expiresOn), locale)}</p></div>${describe(content)}</header>
<main>${chart ?? otherReport(shared, parsed, locale)}</main>
<footer>${texts.footer}</footer></div>`;
  return document({ title, description: texts.about(project.name), body, locale });
}

const moment = (at: Date, locale: Locale) =>
  markup`<time datetime="${at.toISOString()}">${locale.moment(at)}</time>`;

const describe = (content: ReportContent | undefined) =>
  content?.description === undefined ? nothing : markup`<p class="described">${content.description}</p>`;

function otherReport({ run }: SharedReport, { value }: ParsedRun, locale: Locale): Markup {
  const { texts } = locale;
  if (run === undefined || value === null) {
    return markup`<section class="card"><p class="empty">${run === undefined ? texts.notRun : texts.empty}</p></section>`;
  }
  return markup`<section class="card"><div class="scroll" tabindex="0" role="region" aria-label="${texts.report}">${renderAnyJson(value, locale)}</div></section>`;
}

async function chartOf(
  content: ReportContent,
  title: string,
  notes: Note[],
  locale: Locale,
): Promise<Markup> {
  if (content.kind === 'grid') return gridFigure(content, title, locale, downloadLink(locale));
  const drawn =
    content.kind === 'funnel'
      ? funnelFigure(content, title, locale)
      : await overBuckets(content, title, notes, locale);
  return markup`${drawn}${dataTable(content, locale)}`;
}

async function overBuckets(content: OverBuckets, title: string, notes: Note[], locale: Locale) {
  const days = daysOfBuckets(content.buckets);
  const marks = days === undefined ? [] : marksOn(days, notes);
  const figures: Markup[] = [];
  for (const [at, chart] of chartsOf(content).entries()) {
    const drawn = drawnOf(chart, locale);
    const drawings = await draw(drawn.content, marks, locale);
    figures.push(
      figure(
        chart,
        drawn,
        { title, id: `chart-${at + 1}`, heading: headingOf(chart, content, locale) },
        drawings,
        locale,
      ),
    );
  }
  return markup`${figures}${noteList(marks, notes, locale)}`;
}

/** Tells the charts of a report with several units apart. */
function headingOf(chart: OverBuckets, { series }: OverBuckets, locale: Locale): string | undefined {
  if (chart.series.length === series.length) return undefined;
  const [first] = chart.series;
  return chart.series.length === 1 && first ? first.name : locale.unit(chart.unit ?? '');
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
