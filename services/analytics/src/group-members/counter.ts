import { createPolling, type Polling } from '@switchboard/resilience';
import type { Logger } from '@switchboard/runtime';
import type { GroupMembersStore } from './store.ts';

const IDS_AT_ONCE = 500;
const POLL_MS = 500;

/** Counts the groups of changed ids in the background. */
export function createGroupCounter({
  store,
  logger,
}: {
  store: Pick<GroupMembersStore, 'countChanged'>;
  logger: Logger;
}): Polling {
  async function look(signal: AbortSignal): Promise<boolean> {
    let counted = await store.countChanged(IDS_AT_ONCE);
    const hasFound = counted > 0;
    while (!signal.aborted && counted === IDS_AT_ONCE) counted = await store.countChanged(IDS_AT_ONCE);
    return hasFound;
  }
  return createPolling(look, {
    everyMs: POLL_MS,
    onFailure: (error) => logger.failed('count the members of groups', error),
  });
}
