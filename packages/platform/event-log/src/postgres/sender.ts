import { backoffDelay, pause } from '@switchboard/resilience';
import type { PartitionRecords, Transport } from '../batcher.ts';
import { EventLogUnavailable, messageOf } from '../errors.ts';
import { within } from '../timing.ts';
import type { LogEntry } from '../types.ts';

/**
 * No attempt starts this close to the deadline, because its records could be stored after the caller was rejected.
 */
const MIN_ATTEMPT_MS = 200;

/** A connection to the log for publishing. It is not reused after a failed send. */
export interface SendConnection {
  /** Resolves with the offset of the first record of each partition. */
  send(batch: PartitionRecords[]): Promise<number[]>;
  close(): Promise<void>;
}

/**
 * Creates a sender. All partitions share one send, which stores all of its records or none. Opens a connection on the
 * first send and a new one after each failure.
 */
export function createSender(options: {
  name: string;
  open(): Promise<SendConnection>;
  /** Whether to send the same records again through a new connection. */
  isRetryable(error: unknown): boolean;
  onLog?: ((entry: LogEntry) => void) | undefined;
}): Transport {
  let current: Promise<SendConnection> | undefined;
  let down = false;

  async function send(_: string, batch: PartitionRecords[]): Promise<(number | Error)[]> {
    const deadline = batch.reduce((latest, one) => Math.max(latest, one.deadline), 0);
    for (let failures = 1; ; failures++) {
      const outcome = await attempt(batch, deadline);
      if (Array.isArray(outcome)) {
        logChange(false);
        return outcome;
      }
      const { error, retry } = outcome;
      logChange(true, error, batch);
      const wait = backoffDelay(failures - 1, { baseMs: 50, maxMs: 1_000 });
      const isTooLate = performance.now() + wait + MIN_ATTEMPT_MS > deadline;
      if (!retry || isTooLate) return batch.map(() => asError(error));
      await pause(wait);
    }
  }

  async function attempt(
    batch: PartitionRecords[],
    deadline: number,
  ): Promise<number[] | { error: unknown; retry: boolean }> {
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

  function logChange(isDown: boolean, error?: unknown, batch: PartitionRecords[] = []): void {
    if (isDown === down) return;
    down = isDown;
    if (isDown) {
      const records = batch.flatMap((one) => one.records);
      options.onLog?.({ level: 'warn', message: `Publishing to ${options.name} fails`, error, records });
    } else options.onLog?.({ level: 'info', message: `Publishing to ${options.name} works again` });
  }

  return {
    destinationOf: () => 'all',
    send,
    async close() {
      const opening = current;
      current = undefined;
      await opening?.then((connection) => connection.close()).catch(() => {});
    },
  };
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new EventLogUnavailable(messageOf(error));
}
