import { z } from '@hono/zod-openapi';
import { text } from '../fields/fields.ts';
import { USED_WIRES } from './names.ts';

/** The topic on which services publish how many requests they accepted from SDKs, by wire. */
export const WIRE_USAGE_TOPIC = 'wire-usage';

const RETENTION_MS = 86_400_000;

/** Returns the settings of the topic. */
export const wireUsageSpec = (replication: number) =>
  ({
    name: WIRE_USAGE_TOPIC,
    partitions: 1,
    replication,
    cleanup: 'delete',
    retentionMs: RETENTION_MS,
    deadLetter: true,
  }) as const;

/** The SDKs of a project in a record. Requests of further ones count as those of an unknown SDK of their wire. */
export const MAX_USED_SDKS = 20;

const count = z.int().min(0);
const name = text({ max: 60 });

/** The JSON value of a record on `wire-usage`: accepted requests of a project since the record before. */
export const wireUsageRecord = z.object({
  projectId: text({ min: 1, max: 200 }),
  at: z.iso.datetime({ precision: 3 }),
  counts: z
    .array(
      z.object({
        wire: z.enum(USED_WIRES),
        /** The name and version of the SDK. Empty: unknown. */
        sdk: name,
        version: name,
        requests: count.min(1),
        /** Events and calls in the requests. */
        events: count,
      }),
    )
    .min(1)
    .max(MAX_USED_SDKS + USED_WIRES.length),
});
export type WireUsageRecord = z.infer<typeof wireUsageRecord>;
