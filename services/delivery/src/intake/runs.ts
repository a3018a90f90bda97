import { REPORT_RUNS_TOPIC, type ReportRunRecord, reportRunRecord } from '@switchboard/contracts';
import {
  type BackgroundConsumer,
  createConsumer,
  type EventLog,
  type RecordBatch,
  type StoredRecord,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { Happening, Intake } from './intake.ts';

const GROUP = 'delivery.report-runs';
const topics = [REPORT_RUNS_TOPIC];

interface RunsOptions {
  log: EventLog;
  intake: Pick<Intake, 'accept'>;
  logger: Logger;
}

/** Queues messages for the runs of reports. Analytics publishes them and creates the topic. */
export function createRunsConsumer({ log, intake, logger }: RunsOptions): BackgroundConsumer {
  async function consume() {
    await log.endOffsets(REPORT_RUNS_TOPIC);
    return log.consume({ group: GROUP, topics, handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    const runs: ReportRunRecord[] = [];
    for (const record of batch.records) {
      const run = parse(record);
      if (run === undefined) await batch.deadLetter(record, 'not a run of a report');
      else runs.push(run);
    }
    if (runs.length > 0) await intake.accept(runs.map(happeningOf));
  }

  return createConsumer({ consume, topics, logger });
}

function parse({ value }: StoredRecord): ReportRunRecord | undefined {
  try {
    return reportRunRecord.safeParse(JSON.parse(value?.toString('utf8') ?? '')).data;
  } catch {
    return undefined;
  }
}

function happeningOf(run: ReportRunRecord): Happening {
  const { projectId, reportId, runId, ranAt } = run;
  const ids = { projectId, reportId, runId, ranAt };
  const result = 'error' in run ? { error: run.error } : { report: run.report };
  return {
    projectId,
    acceptedAt: ranAt,
    type: 'report.ran',
    occurrence: {
      type: 'report.ran',
      at: ranAt,
      subject: `report:${reportId}`,
      sourceId: runId,
      ids,
      data: { ...ids, ...result },
    },
  };
}
