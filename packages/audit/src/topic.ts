import { type AuditEntry, auditEntry } from '@switchboard/contracts';
import type { OutgoingRecord, TopicSpec } from '@switchboard/event-log';

/** The topic that carries the entries of every service to catalogue, and to whoever else keeps them. */
export const AUDIT_TOPIC = 'audit';

/** Catalogue may be away for as long. */
const RETENTION_MS = 30 * 24 * 3_600_000;
/** People make few entries, and one partition keeps those of a service in order. */
const PARTITIONS = 1;

export function auditTopic(replication: number): TopicSpec {
  return {
    name: AUDIT_TOPIC,
    partitions: PARTITIONS,
    replication,
    cleanup: 'delete',
    retentionMs: RETENTION_MS,
  };
}

/** The record of an entry, whose JSON is given. */
export function auditRecord(entry: string): OutgoingRecord {
  return { partition: 0, key: null, value: Buffer.from(entry), headers: {} };
}

/** Undefined when the record is no entry. */
export function parseAuditRecord({ value }: Pick<OutgoingRecord, 'value'>): AuditEntry | undefined {
  try {
    return auditEntry.safeParse(JSON.parse(value?.toString('utf8') ?? '')).data;
  } catch {
    return undefined;
  }
}
