import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq } from 'drizzle-orm';
import { companies, plans } from '../schema/index.ts';

export interface PlanName {
  tier: string;
  cycle: string;
}

export type PlanRow = Omit<typeof plans.$inferSelect, 'position'>;

export interface PlansStore {
  /** Returns all plans in the order of their creation. */
  list(): Promise<PlanRow[]>;
  find(name: PlanName): Promise<PlanRow | undefined>;
  upsert(row: PlanRow): Promise<void>;
  /** Locks the plan against removal until the transaction ends. Returns false if it does not exist. */
  hold(name: PlanName): Promise<boolean>;
  /**
   * Locks the plan for removal, after waiting for every transaction that holds it. Returns false if it does not
   * exist.
   */
  lock(name: PlanName): Promise<boolean>;
  /** Returns the id of a company that is on the plan. */
  findCompanyOn(name: PlanName): Promise<string | undefined>;
  remove(name: PlanName): Promise<void>;
}

const columns = {
  tier: plans.tier,
  cycle: plans.cycle,
  trialDays: plans.trialDays,
  priced: plans.priced,
  entitlements: plans.entitlements,
};

const named = ({ tier, cycle }: PlanName) => and(eq(plans.tier, tier), eq(plans.cycle, cycle));

export function createPlansStore(db: Db | Tx): PlansStore {
  return {
    async list() {
      return db.select(columns).from(plans).orderBy(asc(plans.position));
    },

    async find(name) {
      const [row] = await db.select(columns).from(plans).where(named(name));
      return row;
    },

    async upsert(row) {
      const { tier, cycle, ...content } = row;
      await db
        .insert(plans)
        .values(row)
        .onConflictDoUpdate({ target: [plans.tier, plans.cycle], set: content });
    },

    async hold(name) {
      const rows = await db.select({ tier: plans.tier }).from(plans).where(named(name)).for('key share');
      return rows.length > 0;
    },

    async lock(name) {
      const rows = await db.select({ tier: plans.tier }).from(plans).where(named(name)).for('update');
      return rows.length > 0;
    },

    async findCompanyOn({ tier, cycle }) {
      const [row] = await db
        .select({ id: companies.id })
        .from(companies)
        .where(and(eq(companies.tier, tier), eq(companies.cycle, cycle)))
        .limit(1);
      return row?.id;
    },

    async remove(name) {
      await db.delete(plans).where(named(name));
    },
  };
}
