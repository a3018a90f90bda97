import type { Db, Tx } from '@switchboard/database';
import { and, arrayContains, eq, inArray, sql } from 'drizzle-orm';
import {
  changeApprovals,
  changeRequests,
  cohortMembers,
  cohortPeople,
  cohorts,
  flags,
  flagVersions,
  rulesets,
  scheduledChanges,
  usageDays,
  usageHours,
  usageSeen,
} from '../schema/index.ts';

export interface ErasureStore {
  /** Removes a colleague as the author and approver of changes. */
  removeAuthor(sub: string): Promise<void>;
  /** Removes people from every cohort that lists them. Returns the ids of those cohorts. */
  removeFromCohorts(projectId: string, distinctIds: readonly string[]): Promise<string[]>;
  /** Removes a project's cohorts and its flags with their history and schedule. Returns the ids of the cohorts. */
  removeRuleset(projectId: string): Promise<string[]>;
  /** Removes the row that serializes the edits of a project. */
  removeLock(projectId: string): Promise<void>;
}

export function createErasureStore(db: Db | Tx): ErasureStore {
  return {
    async removeAuthor(author) {
      await db.update(flagVersions).set({ author: null }).where(eq(flagVersions.author, author));
      for (const table of [flagVersions, scheduledChanges])
        await db
          .update(table)
          .set({ approvedBy: sql`array_replace(${table.approvedBy}, ${author}, null)` })
          .where(arrayContains(table.approvedBy, [author]));
      await db.delete(changeApprovals).where(eq(changeApprovals.sub, author));
      await db
        .update(changeRequests)
        .set({ author: null, tokenId: null })
        .where(eq(changeRequests.author, author));
      await db.update(changeRequests).set({ closedBy: null }).where(eq(changeRequests.closedBy, author));
      await db
        .update(scheduledChanges)
        .set({ author: null, tokenId: null })
        .where(eq(scheduledChanges.author, author));
    },

    async removeFromCohorts(projectId, distinctIds) {
      await db
        .delete(cohortMembers)
        .where(
          and(eq(cohortMembers.projectId, projectId), inArray(cohortMembers.distinctId, [...distinctIds])),
        );
      const removed = await db
        .delete(cohortPeople)
        .where(and(eq(cohortPeople.projectId, projectId), inArray(cohortPeople.distinctId, [...distinctIds])))
        .returning({ cohortId: cohortPeople.cohortId });
      return removed.map(({ cohortId }) => cohortId);
    },

    async removeRuleset(projectId) {
      for (const table of [
        changeRequests,
        scheduledChanges,
        flagVersions,
        flags,
        cohortPeople,
        cohortMembers,
        usageSeen,
        usageHours,
        usageDays,
      ])
        await db.delete(table).where(eq(table.projectId, projectId));
      const removed = await db
        .delete(cohorts)
        .where(eq(cohorts.projectId, projectId))
        .returning({ id: cohorts.id });
      return removed.map(({ id }) => id);
    },

    async removeLock(projectId) {
      await db.delete(rulesets).where(eq(rulesets.projectId, projectId));
    },
  };
}
