import { auditTopic, parseAuditRecord } from '@switchboard/audit';
import { type BackgroundConsumer, createParsedConsumer, type EventLog } from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { AuditStore } from './store.ts';

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
export function createAuditConsumer({ store, replication, ...options }: ConsumerOptions): BackgroundConsumer {
  return createParsedConsumer({
    ...options,
    group: 'catalogue.audit',
    topic: auditTopic(replication),
    parse: parseAuditRecord,
    invalid: 'not an audit trail entry',
    async apply(entries) {
      for (let start = 0; start < entries.length; start += ROWS_PER_STATEMENT)
        await store.add(entries.slice(start, start + ROWS_PER_STATEMENT));
    },
  });
}
