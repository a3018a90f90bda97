import { type ReportRunRequest, reportRunRequest, reportRunRequestsSpec } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { type BackgroundConsumer, createParsedConsumer, type EventLog } from '@switchboard/event-log';
import type { Clock, Logger } from '@switchboard/runtime';
import type { SavedReportsStore } from './store.ts';

interface ConsumerOptions {
  log: EventLog;
  db: Db;
  store: Pick<SavedReportsStore, 'request'>;
  replication: number;
  clock: Clock;
  logger: Logger;
}

/** Schedules the reports that collaboration asks for, to mail them. */
export function createRunRequestsConsumer({
  db,
  store,
  replication,
  clock,
  ...options
}: ConsumerOptions): BackgroundConsumer {
  return createParsedConsumer<ReportRunRequest>({
    ...options,
    group: 'analytics.report-run-requests',
    topic: reportRunRequestsSpec(replication),
    parse: ({ value }) => reportRunRequest.safeParse(parseJson(String(value))).data,
    invalid: 'not a request to run a report',
    async apply(requests, signal) {
      for (const request of requests) {
        signal.throwIfAborted();
        await store.request(request, clock.now(), db);
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
