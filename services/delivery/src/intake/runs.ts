import { REPORT_RUNS_TOPIC, type ReportRunRecord, reportRunRecord } from '@switchboard/contracts';
import type { Happening } from './intake.ts';

/** The runs of reports, which analytics publishes. */
export const runs = {
  group: 'delivery.report-runs',
  topic: REPORT_RUNS_TOPIC,
  schema: reportRunRecord,
  invalid: 'not a run of a report',
  happeningsOf: (record: ReportRunRecord) => [happeningOf(record)],
};

function happeningOf(run: ReportRunRecord): Happening {
  const { projectId, reportId, runId, ranAt } = run;
  const ids = { projectId, reportId, runId, ranAt };
  const result = 'error' in run ? { error: run.error } : { report: run.report };
  return {
    projectId,
    acceptedAt: ranAt,
    type: 'report.ran',
    occurrence: {
      type: 'report.ran',
      at: ranAt,
      subject: `report:${reportId}`,
      sourceId: runId,
      ids,
      data: { ...ids, ...result },
    },
  };
}
