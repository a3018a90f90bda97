import type { Tx } from '@switchboard/database';
import { type DirectoryRecord, directoryRecord } from '@switchboard/directory';
import { inArray, isNotNull, sql } from 'drizzle-orm';
import { erasureRecord } from '../erasures/record.ts';
import { projectRecord } from '../projects/record.ts';
import {
  apiTokens,
  companies,
  erasureParts,
  erasures,
  members,
  plans,
  projectKeys,
  projects,
  reports,
  throttles,
} from '../schema/index.ts';
import { tokenRecord } from '../tokens/record.ts';

export interface RepublicationStore {
  /** Every entry of the directory. No entry changes before the transaction ends. */
  lockAndReadEntries(): Promise<DirectoryRecord[]>;
}

export function createRepublicationStore(tx: Tx): RepublicationStore {
  return {
    async lockAndReadEntries() {
      await tx.execute(
        sql`lock table ${plans}, ${companies}, ${members}, ${projects}, ${throttles}, ${projectKeys}, ${reports}, ${apiTokens}, ${erasures} in share mode`,
      );
      const open = await tx.select().from(erasures).where(isNotNull(erasures.subject));
      const openIds = open.map(({ id }) => id);
      const openParts = await tx.select().from(erasureParts).where(inArray(erasureParts.erasureId, openIds));
      const throttled = await tx.select().from(throttles);
      const allowed = new Map(
        throttled.map(({ projectId, eventsPerSecond }) => [projectId, eventsPerSecond]),
      );
      const parts = Map.groupBy(openParts, ({ erasureId }) => erasureId);
      return [
        ...(await tx.select().from(plans)).map(({ tier, cycle, entitlements }) =>
          directoryRecord('plan', { tier, cycle, entitlements: JSON.parse(entitlements) }),
        ),
        ...(await tx.select().from(companies)).map(({ id, name, tier, cycle, entitlements }) =>
          directoryRecord('company', {
            id,
            name,
            plan: { tier, cycle },
            entitlements: JSON.parse(entitlements),
          }),
        ),
        ...(await tx.select().from(members)).map((member) =>
          directoryRecord('member', { ...member, pushSubscriptions: JSON.parse(member.pushSubscriptions) }),
        ),
        ...(await tx.select().from(projects)).map((project) =>
          projectRecord(project, allowed.get(project.id)),
        ),
        ...(await tx.select().from(projectKeys)).map((key) => directoryRecord('key', key)),
        ...(await tx.select().from(reports)).map((report) =>
          directoryRecord('report', {
            ...report,
            query: report.query === null ? null : JSON.parse(report.query),
          }),
        ),
        ...(await tx.select().from(apiTokens)).map(tokenRecord),
        ...open.map(({ id, subject }) =>
          erasureRecord({ id, subject: subject ?? '', parts: parts.get(id) ?? [] }),
        ),
      ];
    },
  };
}
