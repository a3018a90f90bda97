import { type InsightInterval, type ReportContent, reportContent } from '@switchboard/contracts';

export {
  BUILT_IN_NAMES,
  type BuiltInName,
  PEOPLE,
  PERIOD_NAMES,
  type ReportContent,
} from '@switchboard/contracts';
/** The length of a bucket. */
export type Interval = InsightInterval;
export type OverBuckets = Extract<ReportContent, { kind: 'line' | 'bar' }>;
export type Funnel = Extract<ReportContent, { kind: 'funnel' }>;
export type Paths = Extract<ReportContent, { kind: 'paths' }>;
export type Grid = Extract<ReportContent, { kind: 'grid' }>;

/** Parses the content of a known format. Returns undefined for any other JSON, which is displayed as a table. */
export function parseContent(report: unknown): ReportContent | undefined {
  return reportContent.safeParse(report).data;
}
