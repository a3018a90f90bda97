import { type OutgoingRecord, partitionFor, type TopicSpec } from '@switchboard/event-log';
import { z } from 'zod';

/** The topic on which services report completed erasures and late entries of the directory. */
export const ERASURE_REPORTS_TOPIC = 'erasure-reports';

const RETENTION_MS = 7 * 24 * 3_600_000;
/** The topic carries little load, and one partition keeps the reports in order. */
const PARTITIONS = 1;

/** Returns the spec of the reports topic. Its retention may be short, because a lost report is repeated. */
export function erasureReportsSpec(replication: number): TopicSpec {
  return {
    name: ERASURE_REPORTS_TOPIC,
    partitions: PARTITIONS,
    replication,
    cleanup: 'delete',
    retentionMs: RETENTION_MS,
  };
}

const schema = z.object({
  erasureId: z.string(),
  service: z.string(),
  /** Ids that belong to the person and are missing in the erasure. Set if the service has erased nothing yet. */
  found: z.array(z.string()).max(1_000).optional(),
});

/** A report that a service, named as region/service, has erased everything it held, or has found more ids. */
export type ErasureReport = z.infer<typeof schema>;

export function erasureReportRecord(report: ErasureReport): OutgoingRecord {
  const key = report.erasureId;
  return {
    partition: partitionFor(key, PARTITIONS),
    key,
    value: Buffer.from(JSON.stringify(report)),
    headers: {},
  };
}

/** Returns undefined if the record is not an erasure report. */
export function parseErasureReport({ value }: Pick<OutgoingRecord, 'value'>): ErasureReport | undefined {
  try {
    return schema.safeParse(JSON.parse(value?.toString('utf8') ?? '')).data;
  } catch {
    return undefined;
  }
}
