import { parseContent, type Table, tableOf } from '@switchboard/report-content';
import type { Locale } from '../page/render/locale.ts';
import { localise } from '../page/render/localise.ts';

/** A report with its last run. */
export interface SentReport {
  id: string;
  name: string;
  ranAt: Date;
  /** JSON. */
  report: string;
}

/** The content of a mail or chat message of a subscription. */
export interface SentContent {
  kind: 'report' | 'dashboard';
  name: string;
  project: string;
  reports: readonly SentReport[];
  timeZone: string;
}

export const NO_TABLE = 'Its values have no table. Open the report to see them.';

/** Returns when the oldest of the reports ran. */
export const oldestOf = ({ reports }: SentContent): Date =>
  new Date(Math.min(...reports.map(({ ranAt }) => ranAt.getTime())));

/** Says which report or dashboard is sent, and of which time. */
export function introOf(content: SentContent): string {
  const { kind, name, project, timeZone } = content;
  const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone });
  return `The ${kind} “${name}” of ${project}, as of ${moments.format(oldestOf(content))} (${timeZone}).`;
}

/** Returns the heading of a report, and its values unless they have no table. */
export function readReport(
  { name, report }: SentReport,
  locale: Locale,
): { heading: string; values: { table: Table; unit: string } | undefined } {
  const parsed = parseContent(JSON.parse(report));
  if (parsed === undefined) return { heading: name, values: undefined };
  const content = localise(parsed, locale.texts);
  return {
    heading: content.title ?? name,
    values: { table: tableOf(content, locale.texts.table), unit: content.unit ?? '' },
  };
}
