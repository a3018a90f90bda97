import type { BuiltInName, Interval, TableTexts } from '@switchboard/report-content';

/** The texts of the page in one language. Arguments are plain text and already formatted. */
export interface PageTexts {
  table: TableTexts;
  builtIn: Record<BuiltInName, string>;
  /** Retention periods: the number of intervals after a person's first. */
  periods: Record<Interval, (number: string) => string>;
  /** The unit after a number, by the plural form of the number. */
  people: { [form in Intl.LDMLPluralRule]?: string } & { other: string };
  ran: string;
  expires: string;
  notRun: string;
  empty: string;
  /** The notice in place of a report of a dashboard. */
  tooLarge: string;
  footer: string;
  /** The description in link previews if the report has none. */
  about(project: string): string;
  aboutDashboard(project: string): string;
  values: string;
  annotations: string;
  download: string;
  by(property: string): string;
  legend: string;
  chart: string;
  report: string;
  rows(count: string): string;
  more(count: string): string;
  /** The series that a chart does not draw. */
  others(count: string): string;
  yes: string;
  no: string;
  conversion: string;
  averageOf(period: string): string;
  rose(share: string, before: string): string;
  fell(share: string, before: string): string;
  same(before: string): string;
  lost(count: string, share: string): string;
  /** The people who left out an optional step. */
  skipped(count: string, share: string): string;
  median(time: string): string;
  kinds: Record<'line' | 'bar' | 'area' | 'pie' | 'map', string>;
  span(from: string, to: string): string;
  noValues(series: string): string;
  course(series: string, least: string, most: string, last: string): string;
  /** The name of a goal without a label. */
  goal: string;
  inTable: string;
  missing: [title: string, text: string];
  busy: [title: string, text: string];
  unavailable: [title: string, text: string];
}
