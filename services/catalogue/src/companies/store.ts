import type { Db, Tx } from '@switchboard/database';
import { type Page, type PageRequest, toPage } from '@switchboard/http';
import { and, asc, eq, gt, inArray, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import { companies, members, plans, projects, reports } from '../schema/index.ts';

export type CompanyRow = Omit<typeof companies.$inferSelect, 'removedAt'>;

/** The resources counted per company, by the name of the entitlement that limits them. */
export type Counted = 'seats' | 'projects' | 'reports' | 'refreshedReports';

/** Only the methods for removal see companies that are being deleted. */
export interface CompaniesStore {
  /** Returns a page of companies, ordered by id. */
  list(page: PageRequest): Promise<Page<CompanyRow>>;
  find(id: string): Promise<CompanyRow | undefined>;
  /** Returns the entitlements of the company's plan, overridden by its own. */
  entitlements(id: string): Promise<Record<string, unknown>>;
  count(id: string, what: Counted): Promise<number>;
  /** Whether the company exists with this plan and these entitlements. */
  isOnPlan(row: Omit<CompanyRow, 'name'>): Promise<boolean>;
  /** Returns false when a company with this id is being deleted. */
  upsert(row: CompanyRow): Promise<boolean>;
  /** Locks the company against removal until the transaction ends. Returns false if it does not exist. */
  hold(id: string): Promise<boolean>;
  /**
   * Locks the company for changes, after waiting for every transaction that holds it. Returns false if it does not
   * exist.
   */
  lock(id: string): Promise<boolean>;
  /** Marks the company as being deleted. Returns false if it does not exist. */
  beginRemoval(id: string): Promise<boolean>;
  /** Returns up to `limit` companies that are being deleted, longest-running first. */
  removals(limit: number): Promise<string[]>;
  /** Locks a company that is being deleted, like `lock`. */
  lockRemoval(id: string): Promise<boolean>;
  /** Locks up to `limit` of the company's projects in the order of their ids and returns their ids. */
  lockProjects(id: string, limit: number): Promise<string[]>;
  /** Removes up to `limit` members and returns their subs. */
  removeMembers(id: string, limit: number): Promise<string[]>;
  /** Removes a company that has no members or projects left. */
  remove(id: string): Promise<void>;
}

const isThere = isNull(companies.removedAt);
const isRemoval = isNotNull(companies.removedAt);

export function createCompaniesStore(db: Db | Tx): CompaniesStore {
  /** Returns false if the company does not exist. */
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
