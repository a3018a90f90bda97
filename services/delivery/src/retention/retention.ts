import type { ExpiringData } from '@switchboard/database';
import type { RetentionStore } from './store.ts';

/** Longer than the schedule of attempts takes. */
const LOG_DAYS = 7;

/** Returns the data of this service that is removed by age. */
export function expiringData(store: RetentionStore): ExpiringData[] {
  return [
    {
      kind: 'webhook messages',
      days: LOG_DAYS,
      removeBefore: async (time) => ({ rows: await store.removeMessages(time) }),
      oldest: store.oldestMessage,
    },
  ];
}
