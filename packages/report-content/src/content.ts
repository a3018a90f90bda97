import { type InsightInterval, type ReportContent, reportContent } from '@switchboard/contracts';

export {
  BUILT_IN_NAMES,
  type BuiltInName,
  PEOPLE,
  PERIOD_NAMES,
  type ReportContent,
} from '@switchboard/contracts';
/** What a bucket covers. */
export type Interval = InsightInterval;
export type OverBuckets = Extract<ReportContent, { kind: 'line' | 'bar' }>;
export type Funnel = Extract<ReportContent, { kind: 'funnel' }>;
export type Grid = Extract<ReportContent, { kind: 'grid' }>;

/** The content as the format knows it; undefined for any other JSON, which is shown as a table. */
export function parseContent(report: unknown): ReportContent | undefined {
  return reportContent.safeParse(report).data;
}
