import type { Plan } from '@switchboard/contracts';
import { directoryRecord, directoryTombstone } from '@switchboard/directory';
import { Conflict, NotFound, prepareJson } from '@switchboard/service-kit';
import type { Db } from '../db.ts';
import { entitlementsJson } from '../entitlements.ts';
import { announceLists } from '../lists.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { createPublishedList } from '../published-list.ts';
import {
  findCompanyOnPlan,
  findPlan,
  listPlanRows,
  lockPlan,
  type PlanName,
  type PlanRow,
  removePlan,
  upsertPlan,
} from './store.ts';

export type Plans = ReturnType<typeof createPlans>;

/** The plans and their public list. */
export function createPlans({ db, outbox }: { db: Db; outbox: Outbox }) {
  const published = createPublishedList({
    name: 'plan catalogue',
    read: async () => prepareJson({ plans: (await listPlanRows(db)).map(fromRow) }),
  });

  return {
    published,

    async list(): Promise<Plan[]> {
      return (await listPlanRows(db)).map(fromRow);
    },

    async get(name: PlanName): Promise<Plan> {
      const row = await findPlan(db, name);
      if (row === undefined) throw new NotFound(`There is no plan ${name.tier}/${name.cycle}.`);
      return fromRow(row);
    },

    async put(plan: Plan): Promise<Plan> {
      const row = { ...plan, entitlements: entitlementsJson(plan.entitlements) };
      await outbox.change(async (tx, announce) => {
        await upsertPlan(tx, row);
        await announceLists(tx);
        announce([directoryRecord('plan', plan)]);
      });
      await published.reload();
      return fromRow(row);
    },

    async remove(name: PlanName): Promise<void> {
      await outbox.change(async (tx, announce) => {
        if (!(await lockPlan(tx, name))) return;
        const companyId = await findCompanyOnPlan(tx, name);
        if (companyId !== undefined) {
          throw new Conflict(`Company ${companyId} is on this plan; move it to another plan first.`);
        }
        await removePlan(tx, name);
        await announceLists(tx);
        announce([directoryTombstone('plan', name.tier, name.cycle)]);
      });
      await published.reload();
    },
  };
}

function fromRow({ tier, cycle, trialDays, priced, entitlements }: PlanRow): Plan {
  return { tier, cycle, trialDays, priced, entitlements: JSON.parse(entitlements) };
}
