import type { OnRemoved } from '@switchboard/directory';
import { createRemovalsStore } from './store.ts';

/**
 * What is kept under a report goes with it. Of a member, what was to be delivered to them does; what they wrote stays,
 * and is theirs again if they come back.
 */
export const removeDependents: OnRemoved = async (tx, removed) => {
  const store = createRemovalsStore(tx);
  for (const one of removed) {
    if (one.kind === 'report') await store.removeOfReport(one.projectId, one.reportId);
    else await store.removeWaiting(one.companyId, one.sub);
  }
};
