import { ERASURE_REPORTS_TOPIC, erasureReportsSpec, parseErasureReport } from '@switchboard/directory';
import type { Consumption, EventLog, RecordBatch } from '@switchboard/event-log';
import { type BackgroundConsumer, createConsumer, type Logger } from '@switchboard/service-kit';
import type { Erasures } from './erasures.ts';

const GROUP = 'catalogue.erasure-reports';

interface ReportsOptions {
  log: EventLog;
  erasures: Pick<Erasures, 'markDone'>;
  /** Replicas of each partition. */
  replication: number;
  logger: Logger;
}

/** Takes in what services report on the topic `erasure-reports`. */
export function createErasureReports({
  log,
  erasures,
  replication,
  logger,
}: ReportsOptions): BackgroundConsumer {
  const topics = [ERASURE_REPORTS_TOPIC];

  async function consume(): Promise<Consumption> {
    await log.createTopics([erasureReportsSpec(replication)]);
    return log.consume({ group: GROUP, topics, handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    for (const record of batch.records) {
      const report = parseErasureReport(record);
      if (report === undefined) await batch.deadLetter(record, 'not a report of an erasure');
      else await erasures.markDone(report);
    }
  }

  return createConsumer({ consume, topics, logger });
}
