import { logo } from '@switchboard/design';
import { csvOf, daysOfBuckets, parseContent, type ReportContent, tableOf } from '@switchboard/report-content';
import { raw } from 'hono/html';
import type { Note } from '../../annotations/annotations.ts';
import { stopMoment } from '../../public-links/stop-day.ts';
import type { SharedReport } from '../../shared-reports/shared-reports.ts';
import type { PageTexts } from '../texts/texts.ts';
import { figures } from './chart/figures.ts';
import { document } from './document.ts';
import { funnelFigure } from './funnel.ts';
import { gridFigure } from './grid.ts';
import type { Locale } from './locale.ts';
import { localise } from './localise.ts';
import { type Markup, markup, nothing } from './markup.ts';
import { renderAnyJson } from './other-content.ts';
import { dataTable, downloadLink } from './table.ts';

/** Renders a page with a single message. */
export function renderPlain([title, text]: PageTexts['missing'], locale: Locale): string {
  const body = markup`<main class="plain"><div>${raw(logo(28))}<h1>${title}</h1><p>${text}</p></div></main>`;
  return document({ title, description: text, body, locale });
}

/** The data that a page shows of a shared report. */
export interface Shown {
  project: Pick<SharedReport['project'], 'name'>;
  report: Pick<SharedReport['report'], 'name'>;
  expiresOn: string;
  run: { ranAt: Date; body: Uint8Array } | undefined;
}

/** The parsed content of a run, and its range of days, on which annotations are shown. */
export interface ParsedRun {
  value: unknown;
  content: ReportContent | undefined;
  days: { from: string; to: string } | undefined;
  /** The size of its JSON in bytes. */
  size: number;
}

export function parseRun({ run }: Pick<Shown, 'run'>): ParsedRun {
  const value: unknown = run === undefined ? undefined : JSON.parse(Buffer.from(run.body).toString()).report;
  const content = parseContent(value);
  const days = content && 'buckets' in content ? daysOfBuckets(content.buckets) : undefined;
  const [first, last] = [days?.[0], days?.at(-1)];
  const size = (run?.body.length ?? 0) + 1;
  return { value, content, days: first && last && { from: first.from, to: last.to }, size };
}

/** Renders the values of a report as a CSV file. Returns undefined for content in any other format. */
export function renderCsv({ report }: Pick<Shown, 'report'>, { content }: ParsedRun, { texts }: Locale) {
  return (
    content && {
      name: content.title ?? report.name,
      // Without a byte order mark, Excel assumes the encoding of its locale instead of UTF-8.
      csv: `\ufeff${csvOf(tableOf(localise(content, texts), texts.table))}`,
    }
  );
}

/**
 * Renders the page of a shared report: a chart with its values, or nested tables for content in any other
 * format.
 */
export async function renderReport(
  shown: Shown,
  parsed: ParsedRun,
  notes: Note[],
  locale: Locale,
): Promise<string> {
  const { project, report, run, expiresOn } = shown;
  const { texts } = locale;
  const content = parsed.content && localise(parsed.content, texts);
  const title = content?.title ?? report.name;
  const chart = content && (await chartOf(content, title, notes, locale));
  const ran = run === undefined ? nothing : markup`<p>${texts.ran}: ${moment(run.ranAt, locale)}</p>`;
  const body = markup`<div class="sheet"><header><p class="project">${raw(logo(28))}${project.name}</p><h1>${title}</h1>
<div class="facts">${ran}<p>${texts.expires}: ${moment(stopMoment(expiresOn), locale)}</p></div>${describe(content)}</header>
<main>${chart ?? otherReport(shown, parsed, locale)}</main>
<footer>${texts.footer}</footer></div>`;
  return document({ title, description: texts.about(project.name), body, locale });
}

const moment = (at: Date, locale: Locale) =>
  markup`<time datetime="${at.toISOString()}">${locale.moment(at)}</time>`;

const describe = (content: ReportContent | undefined) =>
  content?.description === undefined ? nothing : markup`<p class="described">${content.description}</p>`;

function otherReport({ run }: Pick<Shown, 'run'>, { value }: ParsedRun, locale: Locale): Markup {
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
      : await figures(content, title, notes, locale);
  return markup`${drawn}${dataTable(content, locale)}`;
}
