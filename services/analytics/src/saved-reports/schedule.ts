import { fnv1a, type ReportRefresh } from '@switchboard/contracts';

const MINUTE_MS = 60_000;
const INTERVAL_MS: Record<ReportRefresh, number> = {
  '15m': 15 * MINUTE_MS,
  hourly: 60 * MINUTE_MS,
  daily: 24 * 60 * MINUTE_MS,
};

/**
 * Returns the time of a report's next run. Its offset from the start of an interval is constant, and differs between
 * reports.
 */
export function nextRun(
  refresh: ReportRefresh,
  report: { projectId: string; reportId: string },
  after: Date,
): Date {
  const interval = INTERVAL_MS[refresh];
  const offset = fnv1a(JSON.stringify([report.projectId, report.reportId])) % interval;
  const passed = Math.floor((after.getTime() - offset) / interval);
  return new Date((passed + 1) * interval + offset);
}
