import type { Logger } from '@switchboard/service-kit';
import type { RetentionStore } from './store.ts';

const ROWS_PER_STATEMENT = 5000;
const STATEMENTS_PER_TABLE = 40;
const HISTORY_DAYS = 7;
/** Kafka may keep a record longer than its retention, by up to the age of a log file. */
const GRACE_HOURS = 31 * 24;
const EVERY_MS = 60_000;

/**
 * Deletes event history older than seven days, and segments whose records the log no longer has, in short
 * statements. Resolves with the number of rows.
 */
export async function deleteExpired(
  store: RetentionStore,
  { retentionHours }: { retentionHours: number },
): Promise<number> {
  const limit = ROWS_PER_STATEMENT;
  let rows = 0;
  rows += await repeat(() => store.deleteSeen(HISTORY_DAYS, limit));
  rows += await repeat(() => store.deleteDuplicates(HISTORY_DAYS, limit));
  rows += await repeat(() => store.deleteDeadLetters(HISTORY_DAYS, limit));
  rows += await repeat(() => store.deleteSegments(GRACE_HOURS + retentionHours, limit));
  return rows;
}

async function repeat(deleteSome: () => Promise<number>): Promise<number> {
  let total = 0;
  for (let statement = 0; statement < STATEMENTS_PER_TABLE; statement++) {
    const rows = await deleteSome();
    total += rows;
    if (rows < ROWS_PER_STATEMENT) break;
  }
  return total;
}

interface RetentionOptions {
  store: RetentionStore;
  logger: Logger;
  /** How long the topic `events` keeps a record. */
  retentionHours: number;
}

/** Deletes what has expired once a minute. */
export function createRetention({ store, logger, retentionHours }: RetentionOptions) {
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  function run(): void {
    running = deleteExpired(store, { retentionHours }).catch((error: unknown) => {
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
