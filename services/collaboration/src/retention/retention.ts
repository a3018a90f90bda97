import type { ExpiringData } from '@switchboard/database';
import type { RetentionStore } from './store.ts';

interface RetentionOptions {
  store: RetentionStore;
  commentDays: number | undefined;
  shareDays: number;
  runDays: number | undefined;
}

/** Returns the data of this service that is removed by age. */
export function expiringData({ store, commentDays, shareDays, runDays }: RetentionOptions): ExpiringData[] {
  return [
    {
      kind: 'comments',
      days: commentDays,
      removeBefore: async (time) => ({ rows: await store.removeThreads(time) }),
      oldest: () => store.oldestThread(),
    },
    {
      kind: 'shares',
      days: shareDays,
      removeBefore: async (time) => ({ rows: await store.removeShares(time) }),
      oldest: () => store.oldestShare(),
    },
    {
      kind: 'subscription mails',
      days: shareDays,
      removeBefore: async (time) => ({ rows: await store.removeMails(time) }),
      oldest: () => store.oldestMail(),
    },
    {
      kind: 'dropped endpoints',
      days: shareDays,
      removeBefore: async (time) => ({ rows: await store.removeEndpoints(time) }),
      oldest: () => store.oldestEndpoint(),
    },
    {
      kind: 'report runs',
      days: runDays,
      removeBefore: async (time) => ({ rows: await store.removeRuns(time) }),
      oldest: () => store.oldestRun(),
    },
  ];
}
