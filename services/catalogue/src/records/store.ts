import type { Tx } from '@switchboard/database';
import { type DirectoryRecord, directoryRecord, type Kind } from '@switchboard/directory';
import { and, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
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
import { erasureRecord } from './erasures.ts';
import { projectRecord } from './projects.ts';
import { tokenRecord } from './tokens.ts';

export interface RecordsStore {
  /** Returns every directory entry. No entry changes before the transaction ends. */
  lockAndReadAll(): Promise<DirectoryRecord[]>;
  /** Returns those of the given entries that exist. No entry of this kind changes before the transaction ends. */
  lockAndRead(kind: Kind, identifiers: readonly string[][]): Promise<DirectoryRecord[]>;
}

/** The tables that store the entries of a kind. */
interface Source {
  /** The tables to lock, so that no entry of the kind changes. */
  tables: PgTable[];
  /** The columns that hold an entry's identifiers. */
  columns: PgColumn[];
  read(tx: Tx, where?: SQL): Promise<DirectoryRecord[]>;
}

const sources: Record<Kind, Source> = {
  plan: {
    tables: [plans],
    columns: [plans.tier, plans.cycle],
    async read(tx, where) {
      const rows = await tx.select().from(plans).where(where);
      return rows.map(({ tier, cycle, entitlements }) =>
        directoryRecord('plan', { tier, cycle, entitlements: JSON.parse(entitlements) }),
      );
    },
  },
  company: {
    tables: [companies],
    columns: [companies.id],
    async read(tx, where) {
      const rows = await tx.select().from(companies).where(where);
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
    columns: [members.companyId, members.sub],
    async read(tx, where) {
      const rows = await tx.select().from(members).where(where);
      return rows.map((member) =>
        directoryRecord('member', {
          ...member,
          pushSubscriptions: JSON.parse(member.pushSubscriptions),
          generation: member.generation ?? undefined,
        }),
      );
    },
  },
  project: {
    tables: [projects, throttles],
    columns: [projects.id],
    async read(tx, where) {
      const rows = await tx
        .select({ project: projects, allowed: throttles.eventsPerSecond })
        .from(projects)
        .leftJoin(throttles, eq(throttles.projectId, projects.id))
        .where(where);
      return rows.map(({ project, allowed }) => projectRecord(project, allowed ?? undefined));
    },
  },
  key: {
    tables: [projectKeys],
    columns: [projectKeys.key],
    async read(tx, where) {
      const rows = await tx.select().from(projectKeys).where(where);
      return rows.map((key) => directoryRecord('key', key));
    },
  },
  report: {
    tables: [reports],
    columns: [reports.projectId, reports.id],
    async read(tx, where) {
      const rows = await tx.select().from(reports).where(where);
      return rows.map((report) =>
        directoryRecord('report', {
          ...report,
          query: report.query === null ? null : JSON.parse(report.query),
          generation: report.generation ?? undefined,
        }),
      );
    },
  },
  token: {
    tables: [apiTokens],
    columns: [apiTokens.id],
    async read(tx, where) {
      const rows = await tx.select().from(apiTokens).where(where);
      return rows.map(tokenRecord);
    },
  },
  erasure: {
    tables: [erasures],
    columns: [erasures.id],
    async read(tx, where) {
      const open = await tx
        .select()
        .from(erasures)
        .where(and(isNotNull(erasures.subject), where));
      const openIds = open.map(({ id }) => id);
      const openParts = await tx.select().from(erasureParts).where(inArray(erasureParts.erasureId, openIds));
      const parts = Map.groupBy(openParts, ({ erasureId }) => erasureId);
      return open.map(({ id, subject }) =>
        erasureRecord({ id, subject: subject ?? '', parts: parts.get(id) ?? [] }),
      );
    },
  },
};

export function createRecordsStore(tx: Tx): RecordsStore {
  async function lock(tables: PgTable[]): Promise<void> {
    const names = tables.map((table) => sql`${table}`);
    await tx.execute(sql`lock table ${sql.join(names, sql`, `)} in share mode`);
  }

  return {
    async lockAndReadAll() {
      const all = Object.values(sources);
      await lock(all.flatMap(({ tables }) => tables));
      const records: DirectoryRecord[][] = [];
      for (const { read } of all) records.push(await read(tx));
      return records.flat();
    },

    async lockAndRead(kind, identifiers) {
      const { tables, columns, read } = sources[kind];
      await lock(tables);
      return read(tx, isOneOf(columns, identifiers));
    },
  };
}

function isOneOf(columns: PgColumn[], identifiers: readonly string[][]): SQL {
  const values = columns.map(
    (_, index) => sql`${sql.param(identifiers.map((one) => one[index] ?? null))}::text[]`,
  );
  return sql`(${sql.join(columns, sql`, `)}) in (select * from unnest(${sql.join(values, sql`, `)}))`;
}
