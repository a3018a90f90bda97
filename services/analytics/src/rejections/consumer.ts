import { type RejectionsRecord, rejectionsRecord, rejectionsSpec } from '@switchboard/contracts';
import { type BackgroundConsumer, createParsedConsumer, type EventLog } from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { RejectionsStore } from './store.ts';

interface ConsumerOptions {
  log: EventLog;
  store: Pick<RejectionsStore, 'add'>;
  replication: number;
  logger: Logger;
}

/** Adds the counts of rejected requests that ingestion publishes. */
export function createRejectionsConsumer({
  store,
  replication,
  ...options
}: ConsumerOptions): BackgroundConsumer {
  return createParsedConsumer<RejectionsRecord>({
    ...options,
    group: 'analytics.rejections',
    topic: rejectionsSpec(replication),
    parse: ({ value }) => rejectionsRecord.safeParse(parseJson(String(value))).data,
    invalid: 'not counts of rejected requests',
    async apply(records, signal) {
      for (const record of records) {
        signal.throwIfAborted();
        await store.add(record);
      }
    },
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
