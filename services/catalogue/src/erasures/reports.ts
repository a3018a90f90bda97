import {
  ERASURE_REPORTS_TOPIC,
  erasureReportsSpec,
  type LateEntry,
  parseErasureReport,
  parseLateEntry,
} from '@switchboard/directory';
import {
  type BackgroundConsumer,
  type Consumption,
  createConsumer,
  type EventLog,
  type RecordBatch,
} from '@switchboard/event-log';
import { pause } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import type { Erasures } from './erasures.ts';

const GROUP = 'catalogue.erasure-reports';
/** Entries published between pauses, so that a service that keeps reporting cannot flood the topic. */
const ENTRIES_AT_ONCE = 100;
const PAUSE_MS = 1_000;

interface ReportsOptions {
  log: EventLog;
  erasures: Pick<Erasures, 'markDone'>;
  /** Publishes directory entries again. */
  republish(entries: readonly LateEntry[]): Promise<void>;
  /** The number of replicas of each partition. */
  replication: number;
  logger: Logger;
}

/** Consumes the topic `erasure-reports`, where services report completed erasures and late directory entries. */
export function createErasureReports({
  log,
  erasures,
  republish,
  replication,
  logger,
}: ReportsOptions): BackgroundConsumer {
  const topics = [ERASURE_REPORTS_TOPIC];

  async function consume(): Promise<Consumption> {
    await log.createTopics([erasureReportsSpec(replication)]);
    return log.consume({ group: GROUP, topics, handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    const late = new Map<string, LateEntry>();
    for (const record of batch.records) {
      const report = parseErasureReport(record);
      const entry = parseLateEntry(record);
      if (report !== undefined) await erasures.markDone(report);
      else if (entry !== undefined) late.set(entry.key, entry);
      else await batch.deadLetter(record, 'neither an erasure report nor a late entry');
    }
    if (late.size > 0) await republishAll([...late.values()], batch.signal);
  }

  async function republishAll(late: LateEntry[], signal: AbortSignal): Promise<void> {
    logger.warn({ entries: late.length }, 'older records arrived last, publishing entries again');
    for (let start = 0; start < late.length; start += ENTRIES_AT_ONCE) {
      await republish(late.slice(start, start + ENTRIES_AT_ONCE));
      await pause(PAUSE_MS, signal);
    }
  }

  return createConsumer({ consume, topics, logger });
}
