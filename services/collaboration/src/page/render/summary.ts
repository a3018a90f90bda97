import type { Funnel, Grid, OverBuckets, ReportContent } from './format.ts';
import { formatNumber, formatShare, formatValue } from './numbers.ts';

const kinds = { line: 'Line chart', bar: 'Bar chart', funnel: 'Funnel', grid: 'Grid' };

/** What a chart shows, in words, for those who do not see it. */
export function summarise(content: ReportContent): string {
  return `${kinds[content.kind]}. ${about(content)} All values are in the table below.`;
}

function about(content: ReportContent): string {
  if (content.kind === 'funnel') return aboutFunnel(content);
  return content.kind === 'grid' ? aboutGrid(content) : aboutBuckets(content);
}

function aboutBuckets({ buckets, series, unit = '' }: OverBuckets): string {
  const span = `From ${buckets[0]} to ${buckets.at(-1)}.`;
  const each = series.map(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    if (known.length === 0) return `${name}: no values.`;
    const [least, most] = [Math.min(...known), Math.max(...known)];
    return `${name}: ${formatValue(least, unit)} to ${formatValue(most, unit)}, ending at ${formatValue(values.at(-1), unit)}.`;
  });
  return [span, ...each].join(' ');
}

function aboutFunnel({ steps }: Funnel): string {
  const first = steps[0]?.count ?? 0;
  return steps
    .map(({ name, count }) => `${name}: ${formatNumber(count)}, ${formatShare(count, first)}.`)
    .join(' ');
}

function aboutGrid({ rows, periods }: Grid): string {
  return `${rows.length} rows from ${rows[0]?.name} to ${rows.at(-1)?.name}, ${periods.length} columns from ${periods[0]} to ${periods.at(-1)}.`;
}
