import { ERASURE_REPORTS_TOPIC, erasureReportsSpec, parseErasureReport } from '@switchboard/directory';
import type { Consumption, EventLog, RecordBatch } from '@switchboard/event-log';
import { retry } from '@switchboard/resilience';
import type { Logger } from '@switchboard/service-kit';
import type { Erasures } from './erasures.ts';

const GROUP = 'catalogue.erasure-reports';
const RETRY_MS = 1_000;

interface ReportsOptions {
  log: EventLog;
  erasures: Pick<Erasures, 'markDone'>;
  /** Replicas of each partition. */
  replication: number;
  logger: Logger;
}

/** Takes in what services report on the topic `erasure-reports`. */
export interface ErasureReports {
  /** Returns at once, and consumes once the log is available. */
  start(): void;
  stop(): Promise<void>;
}

export function createErasureReports({ log, erasures, replication, logger }: ReportsOptions): ErasureReports {
  const stopping = new AbortController();
  let starting: Promise<Consumption | undefined> | undefined;

  async function consume(): Promise<Consumption> {
    await log.createTopics([erasureReportsSpec(replication)]);
    return log.consume({ group: GROUP, topics: [ERASURE_REPORTS_TOPIC], handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    for (const record of batch.records) {
      const report = parseErasureReport(record);
      if (report === undefined) await batch.deadLetter(record, 'not a report of an erasure');
      else await erasures.markDone(report);
    }
  }

  async function consumeOnceReady(): Promise<Consumption | undefined> {
    const { signal } = stopping;
    const onRetry = (error: unknown, attempt: number) => {
      if (attempt === 1) logger.warn({ error }, 'consume erasure reports failed, retrying');
    };
    try {
      return await retry(consume, { signal, onRetry, baseMs: RETRY_MS, maxMs: RETRY_MS });
    } catch (error) {
      if (signal.aborted) return undefined;
      throw error;
    }
  }

  return {
    start() {
      starting ??= consumeOnceReady();
    },
    async stop() {
      stopping.abort();
      const consumption = await starting;
      await consumption?.stop();
    },
  };
}
