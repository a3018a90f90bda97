import type { Db, Tx } from '@switchboard/database';
import { type Page, type PageRequest, toPage } from '@switchboard/service-kit';
import { and, asc, eq, gt, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import { companies, members, plans, projects, reports } from '../schema/index.ts';

export type CompanyRow = Omit<typeof companies.$inferSelect, 'removedAt'>;

/** What is counted of a company, by the name of the entitlement that bounds it. */
export type Counted = 'seats' | 'projects' | 'reports' | 'refreshedReports';

/** Companies that are being deleted are there for what is named after their removal alone. */
export interface CompaniesStore {
  /** A page of companies by id. */
  list(page: PageRequest): Promise<Page<CompanyRow>>;
  find(id: string): Promise<CompanyRow | undefined>;
  /** The entitlements of the company's plan, overridden by its own. */
  entitlements(id: string): Promise<Record<string, unknown>>;
  count(id: string, what: Counted): Promise<number>;
  /** Whether the company exists with this plan and these entitlements. */
  isOnPlan(row: Omit<CompanyRow, 'name'>): Promise<boolean>;
  /** False when a company of this id is being deleted. */
  upsert(row: CompanyRow): Promise<boolean>;
  /** Locks the company against removal until the transaction ends; false when there is no such company. */
  hold(id: string): Promise<boolean>;
  /** Locks the company for change, after every transaction that holds it; false when there is no such company. */
  lock(id: string): Promise<boolean>;
  /** From now on the company is being deleted. False when there is no such company. */
  beginRemoval(id: string): Promise<boolean>;
  /** Those of so many companies that have been being deleted for the longest time. */
  removals(limit: number): Promise<string[]>;
  /** As `lock`, of a company that is being deleted. */
  lockRemoval(id: string): Promise<boolean>;
  /** Locks up to so many of the company's projects in the order of their ids, and returns these. */
  lockProjects(id: string, limit: number): Promise<string[]>;
  /** Removes up to so many members; returns their subs. */
  removeMembers(id: string, limit: number): Promise<string[]>;
  /** Removes a company to which nothing belongs any more. */
  remove(id: string): Promise<void>;
}

const isThere = isNull(companies.removedAt);
const isRemoval = isNotNull(companies.removedAt);

export function createCompaniesStore(db: Db | Tx): CompaniesStore {
  /** False when there is no such company. */
  async function lockRow(which: SQL | undefined, strength: 'key share' | 'update'): Promise<boolean> {
    const rows = await db.select({ id: companies.id }).from(companies).where(which).for(strength);
    return rows.length > 0;
  }

  return {
    async list({ cursor, limit }) {
      const rows = await db
        .select()
        .from(companies)
        .where(and(isThere, cursor === undefined ? undefined : gt(companies.id, cursor)))
        .orderBy(asc(companies.id))
        .limit(limit + 1);
      return toPage(rows, limit, ({ id }) => id);
    },

    async find(id) {
      const [row] = await db
        .select()
        .from(companies)
        .where(and(eq(companies.id, id), isThere));
      return row;
    },

    async entitlements(id) {
      const [row] = await db
        .select({ own: companies.entitlements, ofPlan: plans.entitlements })
        .from(companies)
        .innerJoin(plans, and(eq(plans.tier, companies.tier), eq(plans.cycle, companies.cycle)))
        .where(eq(companies.id, id));
      return row === undefined ? {} : { ...JSON.parse(row.ofPlan), ...JSON.parse(row.own) };
    },

    async count(id, what) {
      const ofCompany = db.select({ id: projects.id }).from(projects).where(eq(projects.companyId, id));
      const isOfCompany = inArray(reports.projectId, ofCompany);
      switch (what) {
        case 'seats':
          return db.$count(members, eq(members.companyId, id));
        case 'projects':
          return db.$count(projects, eq(projects.companyId, id));
        case 'reports':
          return db.$count(reports, isOfCompany);
        case 'refreshedReports':
          return db.$count(reports, and(isOfCompany, isNotNull(reports.refresh)));
      }
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
      const stored = await db
        .insert(companies)
        .values(row)
        .onConflictDoUpdate({ target: companies.id, set: content, setWhere: isThere })
        .returning({ id: companies.id });
      return stored.length > 0;
    },

    hold: (id) => lockRow(and(eq(companies.id, id), isThere), 'key share'),

    lock: (id) => lockRow(and(eq(companies.id, id), isThere), 'update'),

    async beginRemoval(id) {
      const begun = await db
        .update(companies)
        .set({ removedAt: sql`coalesce(${companies.removedAt}, now())` })
        .where(eq(companies.id, id))
        .returning({ id: companies.id });
      return begun.length > 0;
    },

    async removals(limit) {
      const rows = await db
        .select({ id: companies.id })
        .from(companies)
        .where(isRemoval)
        .orderBy(asc(companies.removedAt))
        .limit(limit);
      return rows.map(({ id }) => id);
    },

    lockRemoval: (id) => lockRow(and(eq(companies.id, id), isRemoval), 'update'),

    async lockProjects(id, limit) {
      const rows = await db
        .select({ id: projects.id })
        .from(projects)
        .where(eq(projects.companyId, id))
        .orderBy(asc(projects.id))
        .limit(limit)
        .for('update');
      return rows.map((project) => project.id);
    },

    async removeMembers(id, limit) {
      const ofCompany = eq(members.companyId, id);
      const some = db.select({ sub: members.sub }).from(members).where(ofCompany).limit(limit);
      const removed = await db
        .delete(members)
        .where(and(ofCompany, inArray(members.sub, some)))
        .returning({ sub: members.sub });
      return removed.map(({ sub }) => sub);
    },

    async remove(id) {
      await db.delete(companies).where(eq(companies.id, id));
    },
  };
}
