import { ingestionTopics } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import type { Logger, Metrics } from '@switchboard/runtime';
import type { RetentionStore, StoredRange } from './store.ts';

const ROWS_PER_STATEMENT = 5000;
const HISTORY_DAYS = 7;
/** A group that never commits, so the offset to continue from is the earliest stored one. */
const NO_GROUP = 'archive.retention';
/** Kafka may keep a record longer than its retention, by up to the age of a log file. */
const GRACE_HOURS = 31 * 24;
const EVERY_MS = 60_000;
/**
 * Limits a run by time instead of rows, because a fixed number of rows may not keep up with writers. Later runs
 * delete the rest.
 */
const LONGEST_MS = 50_000;

interface ExpiryOptions {
  log: Pick<EventLog, 'lag'>;
  logger: Logger;
  /** Called for each day of events that are dropped early: they are no longer recognized when they are sent again. */
  onDroppedEarly(): void;
  /** The limit of bytes for recognizing events that are sent again. */
  seenBytes: number;
  /** How long the topic `events` keeps a record, in hours. */
  retentionHours: number;
}

/**
 * Drops the seen events of days that ended seven days ago. Deletes other history of that age, and segments of
 * records that the log no longer has, in short statements.
 */
export async function deleteExpired(
  store: RetentionStore,
  { log, logger, onDroppedEarly, seenBytes, retentionHours }: ExpiryOptions,
): Promise<void> {
  await store.beginDay();
  await dropDays(store, { logger, onDroppedEarly, seenBytes });
  const limit = ROWS_PER_STATEMENT;
  const deadline = performance.now() + LONGEST_MS;
  const stored = await readStored(log);
  await repeat(() => store.deleteSegments(GRACE_HOURS + retentionHours, stored, limit), deadline);
  await repeat(() => store.deleteDeadLetters(HISTORY_DAYS, limit), deadline);
}

/** Drops expired days, and the earliest ones while all exceed the limit. Never drops the current day. */
async function dropDays(
  store: RetentionStore,
  { logger, onDroppedEarly, seenBytes }: Omit<ExpiryOptions, 'log' | 'retentionHours'>,
): Promise<void> {
  const days = await store.days();
  let bytes = days.reduce((sum, day) => sum + day.bytes, 0);
  for (const { day, bytes: freed, endedDaysAgo } of days.slice(0, -1)) {
    const isOver = endedDaysAgo >= HISTORY_DAYS;
    if (!isOver && bytes <= seenBytes) return;
    await store.dropDay(day);
    if (!isOver) {
      onDroppedEarly();
      logger.error(
        { day, bytes, limit: seenBytes },
        'dropped a day of event ids early because ARCHIVE_SEEN_BYTES is exceeded: events of that day that are sent again are archived twice',
      );
    }
    bytes -= freed;
  }
}

/**
 * Reads the ranges of the log, which may keep records longer than configured here. A record without a known segment
 * would be archived again.
 */
async function readStored(log: Pick<EventLog, 'lag'>): Promise<StoredRange[]> {
  const lags = await log.lag(NO_GROUP, [ingestionTopics.events]);
  return lags.map(({ partition, committed, end }) => ({ partition, earliest: committed, end }));
}

async function repeat(deleteSome: () => Promise<number>, deadline: number): Promise<void> {
  for (let rows = ROWS_PER_STATEMENT; rows === ROWS_PER_STATEMENT && performance.now() < deadline; ) {
    rows = await deleteSome();
  }
}

interface RetentionOptions extends Omit<ExpiryOptions, 'onDroppedEarly'> {
  store: RetentionStore;
  metrics: Pick<Metrics, 'counter'>;
}

/** Deletes expired history once a minute. */
export function createHistoryRetention({ store, metrics, ...rest }: RetentionOptions) {
  const { logger } = rest;
  const droppedEarly = metrics.counter(
    'switchboard_archive_days_dropped_early_total',
    'Days without recognition of repeated events, because ARCHIVE_SEEN_BYTES was exceeded.',
  );
  const expiry = { ...rest, onDroppedEarly: () => droppedEarly.add() };
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function run(): void {
    running = deleteExpired(store, expiry).catch((error: unknown) => {
      logger.failed('delete expired history', error);
    });
  }

  return {
    start() {
      if (timer === undefined) run();
      timer ??= setInterval(run, EVERY_MS);
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
