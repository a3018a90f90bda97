import { backoffDelay, pause } from '@switchboard/resilience';
import type { TopicRecords } from './batcher.ts';
import { EventLogUnavailable, messageOf } from './errors.ts';
import type { FirstOffsets } from './first-offsets.ts';
import { within } from './timing.ts';
import type { LogEntry } from './types.ts';

/** No attempt starts this close to the deadline, because its records could be stored after the caller was rejected. */
const MIN_ATTEMPT_MS = 200;

/** A connection to the log for publishing. Not reused after a failed send. */
export interface SendConnection {
  send(batch: TopicRecords[]): Promise<FirstOffsets>;
  close(): Promise<void>;
}

export interface Sender {
  send(batch: TopicRecords[], deadline: number): Promise<FirstOffsets>;
  close(): Promise<void>;
}

/**
 * Opens a connection on the first send and a new one after each failure. What a failed connection has stored is
 * unknown, and an idempotent Kafka producer whose sequence numbers differ from the broker's would have later records
 * dropped as duplicates.
 */
export function createSender(options: {
  name: string;
  open(): Promise<SendConnection>;
  /** Whether to send the same records again through a new connection. */
  isRetryable(error: unknown): boolean;
  onLog?: ((entry: LogEntry) => void) | undefined;
}): Sender {
  let current: Promise<SendConnection> | undefined;
  let down = false;

  async function send(batch: TopicRecords[], deadline: number): Promise<FirstOffsets> {
    for (let failures = 1; ; failures++) {
      const outcome = await attempt(batch, deadline);
      if (typeof outcome === 'function') {
        logChange(false);
        return outcome;
      }
      logChange(true, outcome.error, batch);
      const wait = backoffDelay(failures - 1, { baseMs: 50, maxMs: 1_000 });
      const isTooLate = performance.now() + wait + MIN_ATTEMPT_MS > deadline;
      if (!outcome.retry || isTooLate) throw outcome.error;
      await pause(wait);
    }
  }

  async function attempt(
    batch: TopicRecords[],
    deadline: number,
  ): Promise<FirstOffsets | { error: unknown; retry: boolean }> {
    current ??= options.open();
    const opening = current;
    let connection: SendConnection;
    try {
      connection = await within(deadline, `connecting to ${options.name}`, opening);
    } catch (error) {
      discard(opening);
      const message = `cannot reach the event log (${options.name}): ${messageOf(error)}`;
      return { error: new EventLogUnavailable(message, { cause: error }), retry: true };
    }
    try {
      return await within(deadline, `publishing to ${options.name}`, connection.send(batch));
    } catch (error) {
      discard(opening);
      return { error, retry: options.isRetryable(error) };
    }
  }

  function discard(opening: Promise<SendConnection>): void {
    if (current === opening) current = undefined;
    opening.then((connection) => connection.close()).catch(() => {});
  }

  function logChange(isDown: boolean, error?: unknown, batch: TopicRecords[] = []): void {
    if (isDown === down) return;
    down = isDown;
    if (isDown) {
      const records = batch.flatMap((one) => one.records);
      options.onLog?.({ level: 'warn', message: `Publishing to ${options.name} fails`, error, records });
    } else options.onLog?.({ level: 'info', message: `Publishing to ${options.name} works again` });
  }

  return {
    send,
    async close() {
      const opening = current;
      current = undefined;
      await opening?.then((connection) => connection.close()).catch(() => {});
    },
  };
}
