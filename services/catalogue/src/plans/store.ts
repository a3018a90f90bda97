import { and, asc, eq } from 'drizzle-orm';
import type { Db, Tx } from '../db.ts';
import { companies, plans } from '../schema.ts';

export interface PlanName {
  tier: string;
  cycle: string;
}

const named = ({ tier, cycle }: PlanName) => and(eq(plans.tier, tier), eq(plans.cycle, cycle));

const columns = {
  tier: plans.tier,
  cycle: plans.cycle,
  trialDays: plans.trialDays,
  priced: plans.priced,
  entitlements: plans.entitlements,
};

export type PlanRow = Omit<typeof plans.$inferSelect, 'position'>;

/** All plans in the order they were first created. */
export function listPlanRows(db: Db): Promise<PlanRow[]> {
  return db.select(columns).from(plans).orderBy(asc(plans.position));
}

export async function findPlan(db: Db | Tx, name: PlanName): Promise<PlanRow | undefined> {
  const [row] = await db.select(columns).from(plans).where(named(name));
  return row;
}

export async function upsertPlan(tx: Tx, row: PlanRow): Promise<void> {
  const { tier, cycle, ...content } = row;
  await tx
    .insert(plans)
    .values(row)
    .onConflictDoUpdate({ target: [plans.tier, plans.cycle], set: content });
}

/** Locks the plan against removal until the transaction ends; false when there is no such plan. */
export async function holdPlan(tx: Tx, name: PlanName): Promise<boolean> {
  const rows = await tx.select({ tier: plans.tier }).from(plans).where(named(name)).for('key share');
  return rows.length > 0;
}

/** Locks the plan for its removal, after every transaction that holds it. */
export async function lockPlan(tx: Tx, name: PlanName): Promise<boolean> {
  const rows = await tx.select({ tier: plans.tier }).from(plans).where(named(name)).for('update');
  return rows.length > 0;
}

export async function findCompanyOnPlan(tx: Tx, { tier, cycle }: PlanName): Promise<string | undefined> {
  const [row] = await tx
    .select({ id: companies.id })
    .from(companies)
    .where(and(eq(companies.tier, tier), eq(companies.cycle, cycle)))
    .limit(1);
  return row?.id;
}

export async function removePlan(tx: Tx, name: PlanName): Promise<void> {
  await tx.delete(plans).where(named(name));
}
