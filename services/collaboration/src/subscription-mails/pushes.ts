import type { PushContent } from '@switchboard/push';
import type { Locale } from '../page/render/locale.ts';
import { clipPush } from '../shares/messages.ts';
import { oldestOf, readReport, type SentContent } from './content.ts';
import { mailTable } from './table.ts';

interface ReportPush extends SentContent {
  /** The address that a click opens. */
  link: string;
}

/** The maximum number of reports with values in a push. */
const MAX_REPORTS = 3;

/** Composes the push of a report or dashboard, with the totals or the newest values, cut to fit. */
export function composeReportPush(content: ReportPush, locale: Locale): PushContent {
  const { kind, name, reports, timeZone, link } = content;
  const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone });
  const values = reports.slice(0, MAX_REPORTS).map((report) => {
    const { heading, values: read } = readReport(report, locale);
    const { head, rows, totals } = read
      ? mailTable(read.table, read.unit, locale)
      : { head: [], rows: [], totals: undefined };
    const [, ...cells] = totals ?? rows.at(-1) ?? [];
    const texts = cells.map((cell, at) =>
      kind === 'report' || cells.length > 1 ? `${head[at + 1]} ${cell}` : cell,
    );
    return kind === 'report' ? texts.join(', ') : `${heading}: ${texts.join(', ')}`;
  });
  return {
    type: 'subscription',
    title: clipPush(`${name}, ${dates.format(oldestOf(content))}`),
    body: clipPush(values.join('\n')),
    url: link,
  };
}
