import type { Tx } from '@switchboard/database';
import { and, eq, inArray } from 'drizzle-orm';
import { cohortPeople, people } from '../schema/index.ts';

export interface ErasureStore {
  /** Removes the traits and groups of people. */
  removePeople(projectId: string, distinctIds: readonly string[]): Promise<void>;
  /** Takes people off every cohort that lists them. Returns whether one did. */
  removeFromCohorts(projectId: string, distinctIds: readonly string[]): Promise<boolean>;
}

export function createErasureStore(tx: Tx): ErasureStore {
  return {
    async removePeople(projectId, distinctIds) {
      await tx
        .delete(people)
        .where(and(eq(people.projectId, projectId), inArray(people.distinctId, [...distinctIds])));
    },

    async removeFromCohorts(projectId, distinctIds) {
      const removed = await tx
        .delete(cohortPeople)
        .where(and(eq(cohortPeople.projectId, projectId), inArray(cohortPeople.distinctId, [...distinctIds])))
        .returning({ cohortId: cohortPeople.cohortId });
      return removed.length > 0;
    },
  };
}
