import {
  REPORT_RUNS_TOPIC,
  type ReportRunError,
  type ReportRunRecord,
  reportRefresh,
} from '@switchboard/contracts';
import type { Transactor } from '@switchboard/database';
import type { Report } from '@switchboard/directory';
import type { EventLog } from '@switchboard/event-log';
import { BadRequest, NotFound, type Unavailable } from '@switchboard/http';
import { jsonRecord, occurrencesTopic } from '@switchboard/outbox';
import { poll } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import { isBusy, type ReportRunner } from './run.ts';
import { nextRun } from './schedule.ts';
import type { ClaimedReport, RefreshedReport, SavedReport, SavedReportsStore } from './store.ts';

const POLL_MS = 1_000;
/** Milliseconds between searches for new or changed reports in the directory. */
const ADOPT_MS = 30_000;
/** New reports run within this time, each at a random moment. */
const SPREAD_MS = 30_000;
/** Longer than any query can take. */
const CLAIM_MS = 180_000;
const BUSY_MS = 20_000;
const MAX_ATTEMPTS = 5;

/** The error that owners of a report see when only the log has the cause. */
const DEFECT: ReportRunError = {
  code: 'INTERNAL',
  message: 'The report could not be computed. Run it again later, or change its query.',
};
const busy = ({ message }: Unavailable): ReportRunError => ({ code: 'UNAVAILABLE', message });

interface SavedReportsOptions {
  store: SavedReportsStore;
  runner: ReportRunner;
  /** Returns a page of the directory's scheduled reports, after this one. */
  scheduled(after: SavedReport | undefined): Promise<Report[]>;
  log: EventLog;
  replication: number;
  clock: Clock;
  /** Milliseconds on a monotonic clock. */
  elapsed?: () => number;
  logger: Logger;
}

/** Runs saved reports when they are due, each in one instance at a time, and publishes the results. */
export interface SavedReports {
  /** Schedules a report to run soon. Throws NotFound, and BadRequest for an invalid query. */
  request(within: Transactor, report: SavedReport): Promise<void>;
  /** Returns at once. */
  start(): void;
  /** Waits for the running report. */
  stop(): Promise<void>;
}

export function createSavedReports(options: SavedReportsOptions): SavedReports {
  const { store, runner, scheduled, log, replication, clock, logger } = options;
  const { elapsed = () => performance.now() } = options;
  const topic = occurrencesTopic(REPORT_RUNS_TOPIC, replication);
  const stopping = new AbortController();
  let hasTopic = false;
  let adoptedAt = Number.NEGATIVE_INFINITY;
  /**
   * The project of the last report. Projects take turns: ordered by age alone, one with many due reports would delay
   * all others.
   */
  let lastProject = '';
  let loop: Promise<void> | undefined;

  const inMs = (ms: number) => new Date(clock.now().getTime() + ms);

  function refreshed({ projectId, id: reportId, refresh: value }: Report): RefreshedReport[] {
    const refresh = reportRefresh.safeParse(value).data;
    if (refresh === undefined) return [];
    const report = { projectId, reportId };
    const nextAt = nextRun(refresh, report, clock.now());
    return [{ ...report, refresh, firstAt: inMs(Math.random() * SPREAD_MS), nextAt }];
  }

  async function adopt(): Promise<void> {
    await store.release(inMs(2 * CLAIM_MS), clock.now());
    let after: SavedReport | undefined;
    do {
      const page = await scheduled(after);
      await store.adopt(page.flatMap(refreshed));
      const last = page.at(-1);
      after = last && { projectId: last.projectId, reportId: last.id };
    } while (after !== undefined && !stopping.signal.aborted);
    adoptedAt = elapsed();
  }

  async function publish(run: ReportRunRecord): Promise<void> {
    const key = `${run.projectId}/${run.reportId}`;
    await log.publish(topic.name, [jsonRecord(key, run, topic.partitions)], run.projectId);
  }

  async function runOne(report: ClaimedReport): Promise<void> {
    const found = await runner.find(report);
    if (found === undefined) return store.remove(report);
    // The refresh was cleared before the report became due.
    if (report.refresh !== null && found.refresh === null) return store.finish(report);
    const attempts = report.attempts + 1;
    let run: ReportRunRecord;
    try {
      run = await runner.run(report, found);
    } catch (error) {
      if (!isBusy(error)) logger.failed('run a saved report', error, namesOf(report));
      if (attempts < MAX_ATTEMPTS) return store.reschedule(report, inMs(BUSY_MS * attempts), attempts);
      run = runner.failed(report, found, isBusy(error) ? busy(error) : DEFECT);
    }
    await publish(run);
    const refresh = reportRefresh.safeParse(found.refresh).data;
    if (refresh === undefined) await store.finish(report);
    else await store.reschedule(report, nextRun(refresh, report, clock.now()), 0);
  }

  /** Runs due reports one after another, so that interactive queries wait for at most one report per instance. */
  async function look(): Promise<void> {
    // Readers wait for the topic, even if no report ever runs.
    if (!hasTopic) await log.createTopics([topic]);
    hasTopic = true;
    while (!stopping.signal.aborted) {
      if (elapsed() - adoptedAt >= ADOPT_MS) await adopt();
      const report = await store.claim(clock.now(), inMs(CLAIM_MS), lastProject);
      if (report === undefined) return;
      lastProject = report.projectId;
      // The claim expires, and an instance tries again.
      await runOne(report).catch((error: unknown) =>
        logger.failed('run a saved report', error, namesOf(report)),
      );
    }
  }

  return {
    async request(within, report) {
      const found = await runner.find(report);
      if (found === undefined) throw new NotFound('Report not found, or it has no query.');
      if (found.query instanceof BadRequest) throw found.query;
      await store.request(report, clock.now(), within);
    },
    start() {
      loop ??= poll(look, {
        everyMs: POLL_MS,
        signal: stopping.signal,
        onFailure: (error) => logger.failed('look for saved reports', error),
      });
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}

const namesOf = ({ projectId, reportId }: SavedReport) => ({ projectId, reportId });
