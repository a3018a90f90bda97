import type { OnRemoved } from '@switchboard/directory';
import { createRemovalsStore } from './store.ts';

/**
 * Removes the data of removed reports, and the waiting deliveries to removed members. Content that a member
 * wrote stays and belongs to them again if they rejoin.
 */
export const removeDependents: OnRemoved = async (tx, removed) => {
  const store = createRemovalsStore(tx);
  for (const one of removed) {
    if (one.kind === 'report') await store.removeOfReport(one.projectId, one.reportId);
    else await store.removeWaiting(one.companyId, one.sub);
  }
};
