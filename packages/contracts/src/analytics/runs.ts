import { z } from '@hono/zod-openapi';
import { text } from '../fields/fields.ts';

/** The topic on which analytics publishes each run of a saved report. */
export const REPORT_RUNS_TOPIC = 'report-runs';

/** The maximum size of a record's value, in bytes. */
export const MAX_REPORT_RUN_BYTES = 900_000;

const id = text({ min: 1, max: 200 });
const when = z.iso.datetime({ precision: 3 });

const run = {
  projectId: id,
  reportId: id,
  /** Globally unique, because stored data of a run is cached by it. */
  runId: z.uuid(),
  ranAt: when,
  /** The generation of the report that ran, which may have been deleted and created again. Absent if unknown. */
  generation: z.string().optional(),
};

/** The reason why a run has no report, in words for users who may change the query. */
export const reportRunError = z.object({
  code: text({ min: 1, max: 100 }),
  message: text({ max: 2000 }),
});
export type ReportRunError = z.infer<typeof reportRunError>;

/**
 * The JSON value of a record on `report-runs`, with the key `<projectId>/<reportId>`: a report without the name of
 * its cohort, or the reason why there is no report.
 */
export const reportRunRecord = z.union([
  z.object({ ...run, asOf: when, report: z.record(z.string(), z.unknown()) }),
  z.object({ ...run, error: reportRunError }),
]);
export type ReportRunRecord = z.infer<typeof reportRunRecord>;
