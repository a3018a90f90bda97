import { z } from '@hono/zod-openapi';
import { text } from '../fields/fields.ts';

/** The topic on which ingestion publishes how many requests it rejected, and why. */
export const REJECTIONS_TOPIC = 'rejections';

const RETENTION_MS = 86_400_000;

/** Returns the settings of the topic. */
export const rejectionsSpec = (replication: number) =>
  ({
    name: REJECTIONS_TOPIC,
    partitions: 1,
    replication,
    cleanup: 'delete',
    retentionMs: RETENTION_MS,
    deadLetter: true,
  }) as const;

/** The number of reasons in a record. Ingestion counts further ones of the project as one. */
export const MAX_REASONS = 20;

/** The JSON value of a record on `rejections`: rejected requests of a project since the record before. */
export const rejectionsRecord = z.object({
  projectId: text({ min: 1, max: 200 }),
  at: z.iso.datetime({ precision: 3 }),
  reasons: z
    .array(
      z.object({
        operation: text({ min: 1, max: 100 }),
        status: z.int().min(400).max(599),
        reason: text({ min: 1, max: 200 }),
        requests: z.int().min(1),
      }),
    )
    .min(1)
    .max(MAX_REASONS + 1),
});
export type RejectionsRecord = z.infer<typeof rejectionsRecord>;
