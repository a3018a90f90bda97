import { AUDIT_TOPIC, auditTopic, parseAuditRecord } from '@switchboard/audit';
import type { AuditEntry } from '@switchboard/contracts';
import {
  type BackgroundConsumer,
  type Consumption,
  createConsumer,
  type EventLog,
  type RecordBatch,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { AuditStore } from './store.ts';

const GROUP = 'catalogue.audit';
const ROWS_PER_STATEMENT = 500;

interface ConsumerOptions {
  log: EventLog;
  store: Pick<AuditStore, 'add'>;
  /** The number of replicas of each partition. */
  replication: number;
  logger: Logger;
}

/**
 * Stores the audit entries that services publish on the topic `audit`. Entries delivered more than once are
 * stored once.
 */
export function createAuditConsumer({
  log,
  store,
  replication,
  logger,
}: ConsumerOptions): BackgroundConsumer {
  const topics = [AUDIT_TOPIC];

  async function consume(): Promise<Consumption> {
    await log.createTopics([auditTopic(replication)]);
    return log.consume({ group: GROUP, topics, handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    const entries: AuditEntry[] = [];
    for (const record of batch.records) {
      const entry = parseAuditRecord(record);
      if (entry === undefined) await batch.deadLetter(record, 'not an audit trail entry');
      else entries.push(entry);
    }
    for (let start = 0; start < entries.length; start += ROWS_PER_STATEMENT)
      await store.add(entries.slice(start, start + ROWS_PER_STATEMENT));
  }

  return createConsumer({ consume, topics, logger });
}
