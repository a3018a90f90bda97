import { z } from '@hono/zod-openapi';
import { text } from '../fields/fields.ts';

/** The topic on which collaboration asks analytics to run saved reports. */
export const REPORT_RUN_REQUESTS_TOPIC = 'report-run-requests';

const DAY_MS = 86_400_000;

/** Returns the settings of the topic, which either service creates. */
export const reportRunRequestsSpec = (replication: number) =>
  ({
    name: REPORT_RUN_REQUESTS_TOPIC,
    partitions: 1,
    replication,
    cleanup: 'delete',
    retentionMs: DAY_MS,
  }) as const;

const id = text({ min: 1, max: 200 });

/** The JSON value of a record on `report-run-requests`, with the key `<projectId>/<reportId>`. */
export const reportRunRequest = z.object({ projectId: id, reportId: id });
export type ReportRunRequest = z.infer<typeof reportRunRequest>;
