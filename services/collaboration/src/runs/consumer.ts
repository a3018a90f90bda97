import { REPORT_RUNS_TOPIC, reportRunRecord } from '@switchboard/contracts';
import {
  type BackgroundConsumer,
  type Consumption,
  createConsumer,
  type EventLog,
  type RecordBatch,
  type StoredRecord,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { Runs } from './runs.ts';

const GROUP = 'collaboration.report-runs';
const topics = [REPORT_RUNS_TOPIC];

interface ConsumerOptions {
  log: EventLog;
  runs: Pick<Runs, 'accept'>;
  logger: Logger;
}

/** Stores the runs of saved reports. Analytics publishes them and creates the topic. */
export function createRunsConsumer({ log, runs, logger }: ConsumerOptions): BackgroundConsumer {
  async function consume(): Promise<Consumption> {
    await log.endOffsets(REPORT_RUNS_TOPIC);
    return log.consume({ group: GROUP, topics, handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    for (const record of batch.records) {
      const run = parse(record);
      if (run === undefined) await batch.deadLetter(record, 'not a run of a report');
      else await runs.accept(run, record.offset);
    }
  }

  return createConsumer({ consume, topics, logger });
}

function parse({ value }: StoredRecord) {
  try {
    return reportRunRecord.safeParse(JSON.parse(value?.toString('utf8') ?? '')).data;
  } catch {
    return undefined;
  }
}
