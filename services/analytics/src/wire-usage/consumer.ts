import { type WireUsageRecord, wireUsageRecord, wireUsageSpec } from '@switchboard/contracts';
import { type BackgroundConsumer, createParsedConsumer, type EventLog } from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { WireUsageStore } from './store.ts';

interface ConsumerOptions {
  log: EventLog;
  store: Pick<WireUsageStore, 'add'>;
  replication: number;
  logger: Logger;
}

/** Adds the counts of accepted requests that ingestion and flags publish. */
export function createWireUsageConsumer({
  store,
  replication,
  ...options
}: ConsumerOptions): BackgroundConsumer {
  return createParsedConsumer<WireUsageRecord>({
    ...options,
    group: 'analytics.wire-usage',
    topic: wireUsageSpec(replication),
    parse: ({ value }) => wireUsageRecord.safeParse(parseJson(String(value))).data,
    invalid: 'not counts of accepted requests',
    apply: store.add,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
