import { type OutgoingRecord, partitionFor, type TopicSpec } from '@switchboard/event-log';
import { z } from 'zod';

/** The topic on which services report the erasures they have done, and late entries of the directory. */
export const ERASURE_REPORTS_TOPIC = 'erasure-reports';

const RETENTION_MS = 7 * 24 * 3_600_000;
/** A topic without load: one partition also keeps the reports in order. */
const PARTITIONS = 1;

/** The topic of reports. A report that is lost is repeated, so that its retention may be short. */
export function erasureReportsSpec(replication: number): TopicSpec {
  return {
    name: ERASURE_REPORTS_TOPIC,
    partitions: PARTITIONS,
    replication,
    cleanup: 'delete',
    retentionMs: RETENTION_MS,
  };
}

const schema = z.object({ erasureId: z.string(), service: z.string() });

/** A service, as region/service, has erased everything it held. */
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

/** Undefined when the record is no report. */
export function parseErasureReport({ value }: Pick<OutgoingRecord, 'value'>): ErasureReport | undefined {
  try {
    return schema.safeParse(JSON.parse(value?.toString('utf8') ?? '')).data;
  } catch {
    return undefined;
  }
}
