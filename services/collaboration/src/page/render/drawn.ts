import { displayOf, type OverBuckets, type ReportContent } from '@switchboard/report-content';
import { COLOURS } from './chart/theme.ts';
import type { Locale } from './locale.ts';

type Series = OverBuckets['series'][number];

/** The part of a report with many series that a chart draws. */
export interface Drawn<Content extends ReportContent> {
  content: Content;
  /** States how many series are only in the table. Empty: none. */
  others: string;
}

/** Splits the series into the largest, in the order of the report, and the rest, which have no colour. */
export function largestOf(series: readonly Series[], sizeOf: (one: Series) => number) {
  const inOrder = series.toSorted((one, other) => sizeOf(other) - sizeOf(one));
  const largest = new Set(inOrder.slice(0, COLOURS));
  return {
    drawn: series.filter((one) => largest.has(one)),
    left: series.filter((one) => !largest.has(one)),
  };
}

/**
 * Selects the series with the largest totals. Bars and areas are stacked, so the sum of the others is added to keep their
 * height.
 */
export function drawnOf(content: OverBuckets, locale: Locale): Drawn<OverBuckets> {
  const { drawn, left } = largestOf(content.series, ({ total, values }) =>
    Math.abs(total ?? values.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0)),
  );
  if (left.length === 0) return { content, others: '' };
  const others = locale.texts.others(locale.number(left.length));
  if (displayOf(content) === 'line') return { content: { ...content, series: drawn }, others };
  const values = content.buckets.map((_, at) => sumOf(left.map((one) => one.values[at] ?? null)));
  return { content: { ...content, series: [...drawn, { name: others, values }] }, others: '' };
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
