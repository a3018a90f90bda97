import { csvOf } from '@switchboard/report-content';
import type { Locale } from '../page/render/locale.ts';
import { type Markup, markup, nothing } from '../page/render/markup.ts';
import type { ChartPicture } from '../page/thread/calls.ts';
import { introOf, NO_TABLE, oldestOf, readReport, type SentContent, type SentReport } from './content.ts';
import { frameMail, type MailFrame } from './mail.ts';
import { htmlTable, type MailTable, mailTable, textTable } from './table.ts';

/** The content of a mail of a subscription. */
export interface MailDetails extends SentContent, MailFrame {
  /** The charts of each report. */
  charts: readonly (readonly ChartPicture[])[];
}

interface Attachment {
  filename: string;
  contentType: string;
  content: Buffer;
  /** The id by which the HTML shows a picture. */
  cid?: string;
}

interface Chart extends Omit<ChartPicture, 'png'> {
  file: Attachment;
  cid: string;
}

interface Part {
  heading: string;
  table: MailTable | undefined;
  file: Attachment | undefined;
  charts: Chart[];
}

/** The maximum size of the attached files of a mail. */
const MAX_FILES_BYTES = 5_000_000;
const NOT_IN_FILE_NAMES = /[\p{Cc}/\\:*?"<>|]+/gu;
const CUT = 'The attached file has all values.';

/** Composes a mail as text and HTML, with the charts of each report, and its values as a table and a CSV file. */
export function composeSubscription(details: MailDetails, locale: Locale) {
  const { kind, name, reports, timeZone } = details;
  const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone });
  const parts = reports.map((report, at) => partOf(report, details.charts[at] ?? [], at, locale));
  const attachments: Attachment[] = [];
  const files = parts.flatMap(({ file }) => (file === undefined ? [] : [file]));
  const pictures = parts.flatMap(({ charts }) => charts.map(({ file }) => file));
  for (const file of [...files, ...pictures]) if (fits(attachments, file)) attachments.push(file);
  const isAttached = (file: Attachment | undefined) => file !== undefined && attachments.includes(file);
  const hasHeadings = kind === 'dashboard';
  const noteOf = (part: Part) => {
    if (part.table === undefined) return NO_TABLE;
    return part.table.isCut && isAttached(part.file) ? CUT : '';
  };
  const texts = parts.map((part) =>
    [hasHeadings ? part.heading : '', part.table ? textTable(part.table) : '', noteOf(part)]
      .filter((text) => text !== '')
      .join('\n\n'),
  );
  const mail = frameMail(details, {
    subject: `${name}, ${dates.format(oldestOf(details))}`,
    heading: name,
    intro: introOf(details),
    texts,
    content: markup`${parts.map((part) => {
      const charts = part.charts.filter(({ file }) => isAttached(file));
      return section({ ...part, charts }, hasHeadings, noteOf(part));
    })}`,
    opening: `Open the ${kind}`,
    why: `You receive this mail because you are subscribed to a ${kind}.`,
  });
  return { ...mail, attachments: withDistinctNames(attachments) };
}

function partOf(report: SentReport, pictures: readonly ChartPicture[], at: number, locale: Locale): Part {
  const { heading, values } = readReport(report, locale);
  const charts = pictures.map(({ png, ...more }, index): Chart => {
    const name = `chart-${at + 1}-${index + 1}`;
    const cid = `${name}@switchboard`;
    const content = Buffer.from(png);
    return { ...more, cid, file: { filename: `${name}.png`, contentType: 'image/png', content, cid } };
  });
  if (values === undefined) return { heading, table: undefined, file: undefined, charts };
  const { table, unit } = values;
  const filename = `${heading.replaceAll(NOT_IN_FILE_NAMES, ' ').trim().slice(0, 100) || 'report'}.csv`;
  return {
    heading,
    table: mailTable(table, unit, locale),
    charts,
    // Without a byte order mark, Excel assumes the encoding of its locale instead of UTF-8.
    file: { filename, contentType: 'text/csv; charset=utf-8', content: Buffer.from(`\ufeff${csvOf(table)}`) },
  };
}

function chartImage({ cid, alt, width, legend }: Chart): Markup {
  const names = legend.map(
    ({ name, colour }) =>
      markup`<span style="display:inline-block;margin-right:12px"><span style="display:inline-block;width:10px;height:10px;margin-right:5px;border-radius:3px;background:${colour}"></span>${name}</span> `,
  );
  const key = names.length === 0 ? nothing : markup`<p style="margin:0 0 8px;font-size:12px">${names}</p>\n`;
  return markup`${key}<img src="cid:${cid}" alt="${alt}" width="${width}" style="display:block;width:100%;max-width:${width}px;height:auto;margin:0 0 16px;padding:8px;box-sizing:border-box;background:#ffffff;border-radius:6px">\n`;
}

function section({ heading, table, charts }: Part, hasHeading: boolean, note: string): Markup {
  const title = hasHeading
    ? markup`<h2 style="margin:24px 0 8px;font-size:14px;font-weight:600">${heading}</h2>`
    : nothing;
  return markup`${title}${charts.map(chartImage)}${table === undefined ? nothing : htmlTable(table)}${note === '' ? nothing : markup`<p style="margin:0 0 16px;font-size:13px">${note}</p>`}`;
}

function fits(attachments: readonly Attachment[], file: Attachment): boolean {
  const bytes = attachments.reduce((sum, { content }) => sum + content.length, 0);
  return bytes + file.content.length <= MAX_FILES_BYTES;
}

function withDistinctNames(attachments: readonly Attachment[]): Attachment[] {
  const taken = new Set<string>();
  return attachments.map((file) => {
    let { filename } = file;
    for (let count = 2; taken.has(filename); count++) {
      filename = file.filename.replace(/\.csv$/, ` (${count}).csv`);
    }
    taken.add(filename);
    return { ...file, filename };
  });
}
