import type { Db, Tx } from '@switchboard/database';
import { type Page, type PageRequest, toPage } from '@switchboard/service-kit';
import { and, asc, eq, gt } from 'drizzle-orm';
import { companies, members, projects } from '../schema/index.ts';

export type CompanyRow = typeof companies.$inferSelect;

export interface CompaniesStore {
  /** A page of companies by id. */
  list(page: PageRequest): Promise<Page<CompanyRow>>;
  find(id: string): Promise<CompanyRow | undefined>;
  /** Whether the company exists with this plan and these entitlements. */
  isOnPlan(row: Omit<CompanyRow, 'name'>): Promise<boolean>;
  upsert(row: CompanyRow): Promise<void>;
  /** Locks the company against removal until the transaction ends; false when there is no such company. */
  hold(id: string): Promise<boolean>;
  /** Locks the company for removal, after every transaction that holds it; false when there is no such company. */
  lock(id: string): Promise<boolean>;
  /** Locks the company's projects in the order of their ids, and returns these. */
  lockProjects(id: string): Promise<string[]>;
  /** Removes a company that has no projects left, and its members; returns their subs. */
  removeWithMembers(id: string): Promise<string[]>;
}

export function createCompaniesStore(db: Db | Tx): CompaniesStore {
  return {
    async list({ cursor, limit }) {
      const rows = await db
        .select()
        .from(companies)
        .where(cursor === undefined ? undefined : gt(companies.id, cursor))
        .orderBy(asc(companies.id))
        .limit(limit + 1);
      return toPage(rows, limit, ({ id }) => id);
    },

    async find(id) {
      const [row] = await db.select().from(companies).where(eq(companies.id, id));
      return row;
    },

    async isOnPlan({ id, tier, cycle, entitlements }) {
      const isSame = and(
        eq(companies.id, id),
        eq(companies.tier, tier),
        eq(companies.cycle, cycle),
        eq(companies.entitlements, entitlements),
      );
      return (await db.$count(companies, isSame)) === 1;
    },

    async upsert(row) {
      const { id, ...content } = row;
      await db.insert(companies).values(row).onConflictDoUpdate({ target: companies.id, set: content });
    },

    async hold(id) {
      const rows = await db
        .select({ id: companies.id })
        .from(companies)
        .where(eq(companies.id, id))
        .for('key share');
      return rows.length > 0;
    },

    async lock(id) {
      const rows = await db
        .select({ id: companies.id })
        .from(companies)
        .where(eq(companies.id, id))
        .for('update');
      return rows.length > 0;
    },

    async lockProjects(id) {
      const rows = await db
        .select({ id: projects.id })
        .from(projects)
        .where(eq(projects.companyId, id))
        .orderBy(asc(projects.id))
        .for('update');
      return rows.map((project) => project.id);
    },

    async removeWithMembers(id) {
      const removed = await db
        .delete(members)
        .where(eq(members.companyId, id))
        .returning({ sub: members.sub });
      await db.delete(companies).where(eq(companies.id, id));
      return removed.map(({ sub }) => sub);
    },
  };
}
