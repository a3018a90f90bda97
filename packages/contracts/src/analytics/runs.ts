import { z } from '@hono/zod-openapi';
import { text } from '../fields/fields.ts';

/** The topic on which analytics publishes each run of a saved report. */
export const REPORT_RUNS_TOPIC = 'report-runs';

/** Largest value of a record, in bytes. */
export const MAX_REPORT_RUN_BYTES = 900_000;

const id = text({ min: 1, max: 200 });
const when = z.iso.datetime({ precision: 3 });

const run = {
  projectId: id,
  reportId: id,
  /** Unique everywhere: what is kept of a run is cached by it. */
  runId: z.uuid(),
  ranAt: when,
  /** Of the report that ran, which may have been deleted and made again since. Absent: not known. */
  generation: z.string().optional(),
};

/** Why a run has no report, in words for those who may change the query. */
export const reportRunError = z.object({
  code: text({ min: 1, max: 100 }),
  message: text({ max: 2000 }),
});
export type ReportRunError = z.infer<typeof reportRunError>;

/**
 * The JSON value of a record on `report-runs`, whose key is `<projectId>/<reportId>`: a report without the name of its
 * cohort, or why there is none.
 */
export const reportRunRecord = z.union([
  z.object({ ...run, asOf: when, report: z.record(z.string(), z.unknown()) }),
  z.object({ ...run, error: reportRunError }),
]);
export type ReportRunRecord = z.infer<typeof reportRunRecord>;
