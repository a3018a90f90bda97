import {
  erasureReportsSpec,
  type LateEntry,
  parseErasureReport,
  parseLateEntry,
} from '@switchboard/directory';
import { type BackgroundConsumer, createParsedConsumer, type EventLog } from '@switchboard/event-log';
import { pause } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import type { Erasures } from './erasures.ts';

/** Entries published between pauses, so that a service that keeps reporting cannot flood the topic. */
const ENTRIES_AT_ONCE = 100;
const PAUSE_MS = 1_000;

interface ReportsOptions {
  log: EventLog;
  erasures: Pick<Erasures, 'apply'>;
  /** Publishes directory entries again. */
  republish(entries: readonly LateEntry[]): Promise<void>;
  /** The number of replicas of each partition. */
  replication: number;
  logger: Logger;
}

/** Consumes the topic `erasure-reports`, where services report completed erasures and late directory entries. */
export function createErasureReports(options: ReportsOptions): BackgroundConsumer {
  const { erasures, republish, replication, logger } = options;

  async function republishAll(late: LateEntry[], signal: AbortSignal): Promise<void> {
    logger.warn({ entries: late.length }, 'older records arrived last, publishing entries again');
    for (let start = 0; start < late.length; start += ENTRIES_AT_ONCE) {
      await republish(late.slice(start, start + ENTRIES_AT_ONCE));
      await pause(PAUSE_MS, signal);
    }
  }

  return createParsedConsumer({
    ...options,
    group: 'catalogue.erasure-reports',
    topic: erasureReportsSpec(replication),
    parse: (record) => parseErasureReport(record) ?? parseLateEntry(record),
    invalid: 'neither an erasure report nor a late entry',
    async apply(reports, signal) {
      const late = new Map<string, LateEntry>();
      for (const report of reports) {
        if ('key' in report) late.set(report.key, report);
        else await erasures.apply(report);
      }
      if (late.size > 0) await republishAll([...late.values()], signal);
    },
  });
}
