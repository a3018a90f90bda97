import { backoffDelay, pause } from '@switchboard/resilience';
import { EventLogUnavailable, messageOf } from './errors.ts';
import type { TopicRecords } from './gather.ts';
import type { FirstOffsets } from './placing.ts';
import { within } from './timing.ts';
import type { LogEntry } from './types.ts';

/** An attempt cut off by the deadline may still be stored after its rejection, so none starts this close to it. */
const MIN_ATTEMPT_MS = 200;

/** One connection to publish through. Never used again once a send through it has failed. */
export interface SendConnection {
  send(batch: TopicRecords[]): Promise<FirstOffsets>;
  close(): Promise<void>;
}

export interface Sender {
  send(batch: TopicRecords[], deadline: number): Promise<FirstOffsets>;
  close(): Promise<void>;
}

/**
 * Sends through a connection that is opened when needed. After a failure it opens a fresh one: nobody knows
 * what the old one has stored, and an idempotent Kafka producer whose count differs from the broker's would
 * have later records taken for repetitions.
 */
export function createSender(options: {
  name: string;
  open(): Promise<SendConnection>;
  /** Failures after which the same records are sent again at once through a fresh connection. */
  repeatable(error: unknown): boolean;
  onLog?: ((entry: LogEntry) => void) | undefined;
}): Sender {
  let current: Promise<SendConnection> | undefined;
  let down = false;

  async function send(batch: TopicRecords[], deadline: number): Promise<FirstOffsets> {
    for (let failures = 1; ; failures++) {
      const outcome = await attempt(batch, deadline);
      if (typeof outcome === 'function') {
        note(false);
        return outcome;
      }
      note(true, outcome.error, batch);
      const wait = backoffDelay(failures - 1, { baseMs: 50, maxMs: 1_000 });
      const isTooLate = performance.now() + wait + MIN_ATTEMPT_MS > deadline;
      if (!outcome.repeat || isTooLate) throw outcome.error;
      await pause(wait);
    }
  }

  async function attempt(
    batch: TopicRecords[],
    deadline: number,
  ): Promise<FirstOffsets | { error: unknown; repeat: boolean }> {
    current ??= options.open();
    const opening = current;
    let connection: SendConnection;
    try {
      connection = await within(deadline, `connecting to ${options.name}`, opening);
    } catch (error) {
      discard(opening);
      const message = `cannot reach the event log (${options.name}): ${messageOf(error)}`;
      return { error: new EventLogUnavailable(message, { cause: error }), repeat: true };
    }
    try {
      return await within(deadline, `publishing to ${options.name}`, connection.send(batch));
    } catch (error) {
      discard(opening);
      return { error, repeat: options.repeatable(error) };
    }
  }

  function discard(opening: Promise<SendConnection>): void {
    if (current === opening) current = undefined;
    opening.then((connection) => connection.close()).catch(() => {});
  }

  function note(isDown: boolean, error?: unknown, batch: TopicRecords[] = []): void {
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
