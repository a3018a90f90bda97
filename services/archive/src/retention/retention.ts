import { ingestionTopics } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import type { Logger } from '@switchboard/service-kit';
import type { RetentionStore, StoredRange } from './store.ts';

const ROWS_PER_STATEMENT = 5000;
const HISTORY_DAYS = 7;
/** A group that never commits: the offset it would continue from is the earliest stored one. */
const NO_GROUP = 'archive.retention';
/** Kafka may keep a record longer than its retention, by up to the age of a log file. */
const GRACE_HOURS = 31 * 24;
const EVERY_MS = 60_000;
/** Rows that are left then are deleted the next time: so many are written in a minute that a number of them may not do. */
const LONGEST_MS = 50_000;

interface ExpiryOptions {
  log: Pick<EventLog, 'lag'>;
  /** How long the topic `events` keeps a record. */
  retentionHours: number;
}

/**
 * Deletes event history older than seven days, and segments whose records the log no longer has, in short
 * statements. Resolves with the number of rows.
 */
export async function deleteExpired(
  store: RetentionStore,
  { log, retentionHours }: ExpiryOptions,
): Promise<number> {
  const limit = ROWS_PER_STATEMENT;
  const deadline = performance.now() + LONGEST_MS;
  const stored = await readStored(log);
  let rows = 0;
  rows += await repeat(() => store.deleteSegments(GRACE_HOURS + retentionHours, stored, limit), deadline);
  rows += await repeat(() => store.deleteDuplicates(HISTORY_DAYS, limit), deadline);
  rows += await repeat(() => store.deleteDeadLetters(HISTORY_DAYS, limit), deadline);
  // Last: there are as many as events.
  rows += await repeat(() => store.deleteSeen(HISTORY_DAYS, limit), deadline);
  return rows;
}

/** The log may keep records longer than configured here: they are archived again if their segment is not known. */
async function readStored(log: Pick<EventLog, 'lag'>): Promise<StoredRange[]> {
  const lags = await log.lag(NO_GROUP, [ingestionTopics.events]);
  return lags.map(({ partition, committed, end }) => ({ partition, earliest: committed, end }));
}

async function repeat(deleteSome: () => Promise<number>, deadline: number): Promise<number> {
  let total = 0;
  for (let rows = ROWS_PER_STATEMENT; rows === ROWS_PER_STATEMENT && performance.now() < deadline; ) {
    rows = await deleteSome();
    total += rows;
  }
  return total;
}

interface RetentionOptions extends ExpiryOptions {
  store: RetentionStore;
  logger: Logger;
}

/** Deletes what has expired once a minute. */
export function createRetention({ store, logger, ...expiry }: RetentionOptions) {
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function run(): void {
    running = deleteExpired(store, expiry).catch((error: unknown) => {
      logger.warn({ error }, 'deleting expired event history failed, retrying');
    });
  }

  return {
    start() {
      timer ??= setInterval(run, EVERY_MS);
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
