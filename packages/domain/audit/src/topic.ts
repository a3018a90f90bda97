import { type AuditEntry, auditEntry } from '@switchboard/contracts';
import type { OutgoingRecord, TopicSpec } from '@switchboard/event-log';

/** The topic that carries the entries of every service to catalogue and to any other reader. */
export const AUDIT_TOPIC = 'audit';

/** The longest time for which catalogue may be down. */
const RETENTION_MS = 30 * 24 * 3_600_000;
/** One partition keeps the entries of a service in order. People cause few entries. */
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

/** Returns undefined if the record is not an audit entry. */
export function parseAuditRecord({ value }: Pick<OutgoingRecord, 'value'>): AuditEntry | undefined {
  try {
    return auditEntry.safeParse(JSON.parse(value?.toString('utf8') ?? '')).data;
  } catch {
    return undefined;
  }
}
