import { createPolling, type Polling } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import type { Publisher } from '../publishing/publisher.ts';
import type { SupportStore } from './store.ts';

const INTERVAL_MS = 1_000;
const WOKEN_AT_ONCE = 100;
const COUNTED_AT_ONCE = 5_000;

interface UpkeepOptions {
  store: Pick<SupportStore, 'wake' | 'addToCounts'>;
  publisher: Pick<Publisher, 'publishToAgents'>;
  clock: Clock;
  logger: Logger;
}

/** Ends snoozes when they are over, and adds changes to the counts of conversations. */
export function createUpkeep({ store, publisher, clock, logger }: UpkeepOptions): Polling {
  async function look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const woken = await store.wake(clock.now(), WOKEN_AT_ONCE);
      for (const { id, projectId } of woken)
        publisher.publishToAgents(projectId, { kind: 'changed', conversationId: id });
      const counted = await store.addToCounts(COUNTED_AT_ONCE);
      if (woken.length < WOKEN_AT_ONCE && counted < COUNTED_AT_ONCE) return;
    }
  }

  return createPolling(look, {
    everyMs: INTERVAL_MS,
    onFailure: (error) => logger.failed('keep counts of conversations', error),
  });
}
