import { pause } from '@switchboard/resilience';
import type { EventLog, OutgoingRecord } from './types.ts';

const SETTLE_POLL_MS = 20;

/**
 * Publishes records that must stay in order. After a failure, waits until the log has nothing in flight or the signal
 * aborts, because records without a response may still be stored and newer records must not overtake them.
 */
export async function publishInOrder(
  log: Pick<EventLog, 'publish' | 'bytesInFlight'>,
  topic: string,
  records: OutgoingRecord[],
  signal: AbortSignal,
): ReturnType<EventLog['publish']> {
  try {
    return await log.publish(topic, records);
  } catch (error) {
    while (log.bytesInFlight() > 0 && !signal.aborted) await pause(SETTLE_POLL_MS, signal);
    throw error;
  }
}
