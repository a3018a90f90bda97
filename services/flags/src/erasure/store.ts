import type { Db, Tx } from '@switchboard/database';
import { and, eq, inArray } from 'drizzle-orm';
import { cohortPeople, flagVersions, people, scheduledChanges } from '../schema/index.ts';

export interface ErasureStore {
  /** Removes the traits and groups of people. */
  removePeople(projectId: string, distinctIds: readonly string[]): Promise<void>;
  /** Leaves the versions of flags that a colleague made, and the changes they scheduled, without an author. */
  removeAuthor(sub: string): Promise<void>;
  /** Takes people off every cohort that lists them. Returns the ids of those. */
  removeFromCohorts(projectId: string, distinctIds: readonly string[]): Promise<string[]>;
}

export function createErasureStore(db: Db | Tx): ErasureStore {
  return {
    async removePeople(projectId, distinctIds) {
      await db
        .delete(people)
        .where(and(eq(people.projectId, projectId), inArray(people.distinctId, [...distinctIds])));
    },

    async removeAuthor(sub) {
      await db.update(flagVersions).set({ author: null }).where(eq(flagVersions.author, sub));
      await db
        .update(scheduledChanges)
        .set({ author: null, tokenId: null })
        .where(eq(scheduledChanges.author, sub));
    },

    async removeFromCohorts(projectId, distinctIds) {
      const removed = await db
        .delete(cohortPeople)
        .where(and(eq(cohortPeople.projectId, projectId), inArray(cohortPeople.distinctId, [...distinctIds])))
        .returning({ cohortId: cohortPeople.cohortId });
      return removed.map(({ cohortId }) => cohortId);
    },
  };
}
