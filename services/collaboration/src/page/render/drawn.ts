import type { OverBuckets, ReportContent } from '@switchboard/report-content';
import { COLOURS } from './chart/theme.ts';
import type { Locale } from './locale.ts';

type Series = OverBuckets['series'][number];

/** What a chart draws of a report with many series. */
export interface Drawn<Content extends ReportContent> {
  content: Content;
  /** Says how many series are only in the table; empty for none. */
  others: string;
}

/** The largest series, in the order of the report; and the others, which have no colour. */
export function largestOf(series: readonly Series[], sizeOf: (one: Series) => number) {
  const inOrder = series.toSorted((one, other) => sizeOf(other) - sizeOf(one));
  const largest = new Set(inOrder.slice(0, COLOURS));
  return {
    drawn: series.filter((one) => largest.has(one)),
    left: series.filter((one) => !largest.has(one)),
  };
}

/** The series with the largest totals. Bars are stacked: the sum of the others makes them as high as they are. */
export function drawnOf(content: OverBuckets, locale: Locale): Drawn<OverBuckets> {
  const { drawn, left } = largestOf(content.series, ({ total, values }) =>
    Math.abs(total ?? values.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0)),
  );
  if (left.length === 0) return { content, others: '' };
  const others = locale.texts.others(locale.number(left.length));
  if (content.kind === 'line') return { content: { ...content, series: drawn }, others };
  const values = content.buckets.map((_, at) => sumOf(left.map((one) => one.values[at] ?? null)));
  return { content: { ...content, series: [...drawn, { name: others, values }] }, others: '' };
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
