import { logo } from '@switchboard/design';
import { csvOf, daysOfBuckets, parseContent, type ReportContent, tableOf } from '@switchboard/report-content';
import { raw } from 'hono/html';
import type { Note } from '../../annotations/annotations.ts';
import { stopMoment } from '../../public-links/stop-day.ts';
import type { PageTexts } from '../texts/texts.ts';
import { figures } from './chart/figures.ts';
import { pathsFigure } from './chart/paths.ts';
import { document } from './document.ts';
import { funnelFigure } from './funnel.ts';
import { gridFigure } from './grid.ts';
import type { Locale } from './locale.ts';
import { localise } from './localise.ts';
import { type Markup, markup, nothing } from './markup.ts';
import { renderAnyJson } from './other-content.ts';
import { dataTable, downloadLink } from './table.ts';

const BOARD_WIDTH = 1240;
const MIN_CHART_WIDTH = 340;

/** Renders a page with a single message. */
export function renderPlain([title, text]: PageTexts['missing'], locale: Locale): string {
  const body = markup`<main class="plain"><div>${raw(logo(28))}<h1>${title}</h1><p>${text}</p></div></main>`;
  return document({ title, description: text, body, locale });
}

/** A report on a page. */
export interface ShownReport {
  name: string;
  run: { ranAt: Date; body: Uint8Array } | undefined;
  /** The annotations of its days. */
  notes: Note[];
}

/** A tile on the page of a dashboard: a text, or a report. */
export type ShownTile = { x: number; w: number; h: number } & (
  | { text: string }
  | (ShownReport & { isTooLarge: boolean })
);

/** The data that a page shows. */
export type Shown = { project: string; expiresOn: string } & (
  | ({ kind: 'report' } & ShownReport)
  | { kind: 'dashboard'; name: string; description: string | null; tiles: ShownTile[] }
);

/** The parsed content of a run, and its range of days, on which annotations are shown. */
export interface ParsedRun {
  value: unknown;
  content: ReportContent | undefined;
  days: { from: string; to: string } | undefined;
  /** The size of its JSON in bytes. */
  size: number;
}

export function parseRun({ run }: { run: { body: Uint8Array } | undefined }): ParsedRun {
  const value: unknown = run === undefined ? undefined : JSON.parse(Buffer.from(run.body).toString()).report;
  const content = parseContent(value);
  const days = content && 'buckets' in content ? daysOfBuckets(content.buckets) : undefined;
  const [first, last] = [days?.[0], days?.at(-1)];
  const size = (run?.body.length ?? 0) + 1;
  return { value, content, days: first && last && { from: first.from, to: last.to }, size };
}

/** Renders the values of a report as a CSV file. Returns undefined for content in any other format. */
export function renderCsv({ name }: { name: string }, { content }: ParsedRun, { texts }: Locale) {
  return (
    content && {
      name: content.title ?? name,
      // Without a byte order mark, Excel assumes the encoding of its locale instead of UTF-8.
      csv: `\ufeff${csvOf(tableOf(localise(content, texts), texts.table))}`,
    }
  );
}

/** Renders the page of a link. */
export function renderPage(shown: Shown, locale: Locale): Promise<string> {
  return shown.kind === 'report' ? renderReport(shown, locale) : renderDashboard(shown, locale);
}

/** Renders a shared report: a chart with its values, or nested tables for content in any other format. */
async function renderReport(shown: Extract<Shown, { kind: 'report' }>, locale: Locale): Promise<string> {
  const { run } = shown;
  const { texts } = locale;
  const { title, description, content } = await drawReport(
    shown,
    { id: 'chart', tile: undefined, width: undefined },
    locale,
  );
  return sheet(
    shown,
    { title, about: texts.about(shown.project), description, facts: ranAt(run, locale) },
    content,
    locale,
  );
}

/** Renders a shared dashboard: its texts, and its reports as `renderReport` shows them, on a grid. */
async function renderDashboard(
  shown: Extract<Shown, { kind: 'dashboard' }>,
  locale: Locale,
): Promise<string> {
  const { name, description, tiles, project } = shown;
  const { texts } = locale;
  const drawn: Markup[] = [];
  for (const [at, tile] of tiles.entries()) drawn.push(await drawTile(tile, at + 1, locale));
  const head = { title: name, about: texts.aboutDashboard(project), description, facts: nothing };
  return sheet(shown, head, markup`<div class="board">${drawn}</div>`, locale);
}

/** Returns the width of the charts of a tile, on a page as wide as most screens. */
const widthOf = ({ w }: { w: number }) => Math.max(MIN_CHART_WIDTH, Math.round((BOARD_WIDTH * w) / 12) - 60);

async function drawTile(tile: ShownTile, number: number, locale: Locale): Promise<Markup> {
  const place = `tile x${tile.x} w${tile.w} h${tile.h}`;
  if ('text' in tile)
    return markup`<section class="${place}"><p class="described">${tile.text}</p></section>`;
  const { title, content } = tile.isTooLarge
    ? { title: tile.name, content: notice(locale.texts.tooLarge) }
    : await drawReport(tile, { id: `tile-${number}`, tile: number, width: widthOf(tile) }, locale);
  return markup`<section class="${place}"><h2>${title}</h2><div class="facts">${ranAt(tile.run, locale)}</div>${content}</section>`;
}

interface Head {
  title: string;
  /** The description in link previews. */
  about: string;
  description: string | null | undefined;
  facts: Markup;
}

function sheet(
  { project, expiresOn }: Pick<Shown, 'project' | 'expiresOn'>,
  { title, about, description, facts }: Head,
  content: Markup,
  locale: Locale,
): string {
  const { texts } = locale;
  const described = description ? markup`<p class="described">${description}</p>` : nothing;
  const body = markup`<div class="sheet"><header><p class="project">${raw(logo(28))}${project}</p><h1>${title}</h1>
<div class="facts">${facts}<p>${texts.expires}: ${moment(stopMoment(expiresOn), locale)}</p></div>${described}</header>
<main>${content}</main>
<footer>${texts.footer}</footer></div>`;
  return document({ title, description: about, body, locale });
}

const ranAt = (run: ShownReport['run'], locale: Locale) =>
  run === undefined ? nothing : markup`<p>${locale.texts.ran}: ${moment(run.ranAt, locale)}</p>`;

const moment = (at: Date, locale: Locale) =>
  markup`<time datetime="${at.toISOString()}">${locale.moment(at)}</time>`;

const notice = (text: string) => markup`<section class="card"><p class="empty">${text}</p></section>`;

interface Place {
  /** The prefix of the ids of its elements. */
  id: string;
  /** The number of the tile. Undefined on the page of a report. */
  tile: number | undefined;
  /** The width of charts. Undefined on the page of a report. */
  width: number | undefined;
}

async function drawReport({ name, run, notes }: ShownReport, place: Place, locale: Locale) {
  const { value, content: found } = parseRun({ run });
  const content = found && localise(found, locale.texts);
  const title = content?.title ?? name;
  const drawn =
    content === undefined
      ? otherReport(run, value, locale)
      : await chartOf(content, { title, notes, ...place }, locale);
  return { title, description: content?.description, content: drawn };
}

function otherReport(run: ShownReport['run'], value: unknown, locale: Locale): Markup {
  const { texts } = locale;
  if (run === undefined) return notice(texts.notRun);
  if (value === null) return notice(texts.empty);
  return markup`<section class="card"><div class="scroll" tabindex="0" role="region" aria-label="${texts.report}">${renderAnyJson(value, locale)}</div></section>`;
}

async function chartOf(
  content: ReportContent,
  { title, notes, id, tile, width }: Place & { title: string; notes: Note[] },
  locale: Locale,
): Promise<Markup> {
  const download = downloadLink(locale, tile);
  if (content.kind === 'grid') return gridFigure(content, title, locale, download);
  if (content.kind === 'line' && content.display === 'table') {
    return dataTable(content, locale, download, { isOpen: true });
  }
  const drawn = await drawingOf(content, { title, id, notes, width }, locale);
  return markup`${drawn}${dataTable(content, locale, download)}`;
}

function drawingOf(
  content: Exclude<ReportContent, { kind: 'grid' }>,
  place: Parameters<typeof figures>[1],
  locale: Locale,
): Markup | Promise<Markup> {
  if (content.kind === 'funnel') return funnelFigure(content, place.title, locale);
  if (content.kind === 'paths') return pathsFigure(content, place, locale);
  return figures(content, place, locale);
}
