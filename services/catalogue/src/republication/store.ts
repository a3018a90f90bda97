import type { Tx } from '@switchboard/database';
import { type DirectoryRecord, directoryRecord, type Kind } from '@switchboard/directory';
import { eq, inArray, isNotNull, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
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
  lockAndReadAll(): Promise<DirectoryRecord[]>;
}

/** Where the entries of a kind are. */
interface Source {
  /** No entry of the kind changes while these are locked. */
  tables: PgTable[];
  read(tx: Tx): Promise<DirectoryRecord[]>;
}

const sources: Record<Kind, Source> = {
  plan: {
    tables: [plans],
    async read(tx) {
      const rows = await tx.select().from(plans);
      return rows.map(({ tier, cycle, entitlements }) =>
        directoryRecord('plan', { tier, cycle, entitlements: JSON.parse(entitlements) }),
      );
    },
  },
  company: {
    tables: [companies],
    async read(tx) {
      const rows = await tx.select().from(companies);
      return rows.map(({ id, name, tier, cycle, entitlements }) =>
        directoryRecord('company', {
          id,
          name,
          plan: { tier, cycle },
          entitlements: JSON.parse(entitlements),
        }),
      );
    },
  },
  member: {
    tables: [members],
    async read(tx) {
      const rows = await tx.select().from(members);
      return rows.map((member) =>
        directoryRecord('member', { ...member, pushSubscriptions: JSON.parse(member.pushSubscriptions) }),
      );
    },
  },
  project: {
    tables: [projects, throttles],
    async read(tx) {
      const rows = await tx
        .select({ project: projects, allowed: throttles.eventsPerSecond })
        .from(projects)
        .leftJoin(throttles, eq(throttles.projectId, projects.id));
      return rows.map(({ project, allowed }) => projectRecord(project, allowed ?? undefined));
    },
  },
  key: {
    tables: [projectKeys],
    async read(tx) {
      const rows = await tx.select().from(projectKeys);
      return rows.map((key) => directoryRecord('key', key));
    },
  },
  report: {
    tables: [reports],
    async read(tx) {
      const rows = await tx.select().from(reports);
      return rows.map((report) =>
        directoryRecord('report', {
          ...report,
          query: report.query === null ? null : JSON.parse(report.query),
        }),
      );
    },
  },
  token: {
    tables: [apiTokens],
    async read(tx) {
      const rows = await tx.select().from(apiTokens);
      return rows.map(tokenRecord);
    },
  },
  erasure: {
    tables: [erasures],
    async read(tx) {
      const open = await tx.select().from(erasures).where(isNotNull(erasures.subject));
      const openIds = open.map(({ id }) => id);
      const openParts = await tx.select().from(erasureParts).where(inArray(erasureParts.erasureId, openIds));
      const parts = Map.groupBy(openParts, ({ erasureId }) => erasureId);
      return open.map(({ id, subject }) =>
        erasureRecord({ id, subject: subject ?? '', parts: parts.get(id) ?? [] }),
      );
    },
  },
};

export function createRepublicationStore(tx: Tx): RepublicationStore {
  return {
    async lockAndReadAll() {
      const all = Object.values(sources);
      const tables = all.flatMap((source) => source.tables).map((table) => sql`${table}`);
      await tx.execute(sql`lock table ${sql.join(tables, sql`, `)} in share mode`);
      const records: DirectoryRecord[][] = [];
      for (const { read } of all) records.push(await read(tx));
      return records.flat();
    },
  };
}
