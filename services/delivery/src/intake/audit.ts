import { auditTopic, parseAuditRecord } from '@switchboard/audit';
import { type AuditEntry, FINISH_ERASURE, type WebhookType } from '@switchboard/contracts';
import { type BackgroundConsumer, createParsedConsumer, type EventLog } from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { Happening, Intake } from './intake.ts';

interface AuditOptions {
  log: EventLog;
  intake: Pick<Intake, 'accept'>;
  /** The number of replicas of each partition. */
  replication: number;
  logger: Logger;
}

/**
 * Queues messages for audit entries, and for the changes of flags and change requests and the ends of erasures that they
 * describe.
 */
export function createAuditConsumer({ intake, replication, ...options }: AuditOptions): BackgroundConsumer {
  return createParsedConsumer({
    ...options,
    group: 'delivery.audit',
    topic: auditTopic(replication),
    parse: parseAuditRecord,
    invalid: 'not an audit trail entry',
    apply: (entries) => intake.accept(entries.flatMap(happeningsOf)),
  });
}

const TYPE_OF_KIND: Readonly<Record<string, WebhookType>> = {
  flag: 'flag.changed',
  'change-request': 'change_request.changed',
};

function happeningsOf(entry: AuditEntry): Happening[] {
  const { projectId, at, actor } = entry;
  if (projectId === null) return [];
  const ids = { projectId, entryId: entry.id, action: entry.action, object: entry.object, actor };
  const of = (type: WebhookType, data: Record<string, unknown>): Happening => ({
    projectId,
    acceptedAt: at,
    type,
    occurrence: { type, at, subject: entry.object, sourceId: entry.id, ids, data },
  });
  const whole = of('audit', { ...entry });
  const [kind = '', id = ''] = entry.object.split(':', 2);
  if (entry.action === FINISH_ERASURE) return [whole, of('erasure.done', { projectId, erasureId: id })];
  const type = TYPE_OF_KIND[kind];
  if (type === undefined || entry.outcome === 'refused') return [whole];
  const { reason, before, after } = entry;
  return [whole, of(type, { ...ids, reason, before: before ?? null, after: after ?? null })];
}
