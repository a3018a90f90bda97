import type { Db, Tx } from '@switchboard/database';
import { type Page, type PageRequest, toPage } from '@switchboard/http';
import { and, asc, eq, gt, inArray, isNotNull, isNull } from 'drizzle-orm';
import { companies, members, plans, projects, reports } from '../schema/index.ts';

export type CompanyRow = Omit<typeof companies.$inferSelect, 'removedAt'>;

/** The resources counted per company, by the name of the entitlement that limits them. */
export type Counted = 'seats' | 'projects' | 'reports' | 'refreshedReports';

/** Does not return companies that are being deleted. */
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
}

const isThere = isNull(companies.removedAt);

export function createCompaniesStore(db: Db | Tx): CompaniesStore {
  /** Returns false if the company does not exist. */
  async function lockRow(id: string, strength: 'key share' | 'update'): Promise<boolean> {
    const rows = await db
      .select({ id: companies.id })
      .from(companies)
      .where(and(eq(companies.id, id), isThere))
      .for(strength);
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

    hold: (id) => lockRow(id, 'key share'),

    lock: (id) => lockRow(id, 'update'),
  };
}
