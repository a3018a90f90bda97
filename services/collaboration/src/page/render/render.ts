import { raw } from 'hono/html';
import type { Note } from '../../annotations/annotations.ts';
import { stopMoment } from '../../public-links/stop-day.ts';
import type { SharedReport } from '../../shared-reports/shared-reports.ts';
import { draw } from './chart/draw.ts';
import { daysOfBuckets, type Mark, marksOn } from './days.ts';
import { figure } from './figure.ts';
import { parseContent, type ReportContent } from './format.ts';
import { type Markup, markup, nothing } from './markup.ts';
import { renderAnyJson } from './other-content.ts';
import { styles } from './styles.ts';
import { dataTable } from './table.ts';

const MAX_NOTES = 50;
const dayForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const momentForm = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'short',
  timeZone: 'UTC',
});

const moment = (at: Date) => markup`<time datetime="${at.toISOString()}">${momentForm.format(at)} UTC</time>`;
const day = (of: string) => dayForm.format(new Date(`${of}T00:00:00Z`));

function document(title: string, body: Markup): string {
  return markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">
<style>${raw(styles)}</style></head>
<body>${body}</body></html>
`.toString();
}

/** A page with a single message. */
export function renderPlain(title: string, text: string): string {
  return document(title, markup`<main class="plain"><div><h1>${title}</h1><p>${text}</p></div></main>`);
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

/** The page of a shared report: a chart with its table, or nested tables for content in any other format. */
export async function renderReport(shared: SharedReport, parsed: ParsedRun, notes: Note[]): Promise<string> {
  const { project, report, run, expiresOn } = shared;
  const { content } = parsed;
  const title = content?.title ?? report.name;
  const chart = content && (await chartOf(content, title, notes.slice(0, MAX_NOTES)));
  const ran = run === undefined ? nothing : markup`<p>Ran ${moment(run.ranAt)}</p>`;
  const body = markup`<div class="sheet"><header><p class="project">${project.name}</p><h1>${title}</h1>
<div class="facts">${ran}<p>This link stops ${moment(stopMoment(expiresOn))}</p></div>${describe(content)}</header>
<main>${chart ?? otherReport(shared, parsed)}</main>
<footer>Shared from Switchboard. Anyone with this address can read this page until the link stops.</footer></div>`;
  return document(title, body);
}

const describe = (content: ReportContent | undefined) =>
  content?.description === undefined ? nothing : markup`<p class="described">${content.description}</p>`;

function otherReport({ run }: SharedReport, { value }: ParsedRun): Markup {
  if (run === undefined || value === null) {
    return markup`<section class="card"><p class="empty">${run === undefined ? 'This report has not run yet. Come back later.' : 'This run of the report is empty.'}</p></section>`;
  }
  return markup`<section class="card"><div class="scroll" tabindex="0" role="region" aria-label="Report">${renderAnyJson(value)}</div></section>`;
}

async function chartOf(content: ReportContent, title: string, notes: Note[]): Promise<Markup> {
  const days = 'buckets' in content ? daysOfBuckets(content.buckets) : undefined;
  const marks = days === undefined ? [] : marksOn(days, notes);
  const drawings = await draw(content, marks);
  return markup`${figure(content, title, drawings)}${noteList(marks, notes)}
<section class="card"><h2>Values</h2>${dataTable(content)}</section>`;
}

function noteList(marks: Mark[], notes: Note[]): Markup {
  const items = marks.flatMap(({ number }) => {
    const note = notes[number - 1];
    return note === undefined ? [] : [noteItem(number, note)];
  });
  if (items.length === 0) return nothing;
  return markup`<section class="card"><h2>Annotations</h2><ol class="notes">${items}</ol></section>`;
}

function noteItem(number: number, { startsOn, endsOn, text, tags }: Note): Markup {
  const days = startsOn === endsOn ? day(startsOn) : `${day(startsOn)} – ${day(endsOn)}`;
  return markup`<li><span class="number" aria-hidden="true">${number}</span><div>${text}<div class="days">${days} ${tags.map((tag) => markup` <span class="tag">${tag}</span>`)}</div></div></li>\n`;
}
