import type { Plan } from '@switchboard/contracts';
import type { Db, Tx } from '@switchboard/database';
import { directoryRecord, directoryTombstone } from '@switchboard/directory';
import {
  type AuditedChange,
  BadRequest,
  Conflict,
  NotFound,
  type Prepared,
  prepareJson,
} from '@switchboard/http';
import type { Announce, Outbox } from '../outbox/outbox.ts';
import { createPublishedList, type PublishedList } from '../published-lists/published-list.ts';
import { createPublishedListsStore } from '../published-lists/store.ts';
import { createPlansStore, type PlanName, type PlanRow } from './store.ts';

const MAX_ENTITLEMENTS_BYTES = 300_000;

export interface Plans {
  /** The public list. */
  published: PublishedList<Prepared>;
  list(): Promise<Plan[]>;
  /** Throws NotFound. */
  get(name: PlanName): Promise<Plan>;
  put(change: AuditedChange, plan: Plan): Promise<Plan>;
  /** Throws Conflict while a company is on the plan. */
  remove(change: AuditedChange, name: PlanName): Promise<void>;
}

export function createPlans({ db, outbox }: { db: Db; outbox: Outbox }): Plans {
  const store = createPlansStore(db);
  const list = async () => (await store.list()).map(fromRow);
  const published = createPublishedList({
    name: 'plan catalogue',
    read: async () => prepareJson({ plans: await list() }),
  });

  async function make(
    change: AuditedChange,
    rule: (tx: Tx, announce: Announce) => Promise<void>,
  ): Promise<void> {
    await outbox.change(change, async (tx, announce) => {
      await rule(tx, announce);
      await createPublishedListsStore(tx).notifyChange();
    });
    await published.reload();
  }

  return {
    published,
    list,

    async get(name) {
      const row = await store.find(name);
      if (row === undefined) throw new NotFound('Plan not found.');
      return fromRow(row);
    },

    async put(change, plan) {
      const row = { ...plan, entitlements: serializeEntitlements(plan.entitlements) };
      await make(change, async (tx, announce) => {
        await createPlansStore(tx).upsert(row);
        announce([directoryRecord('plan', plan)]);
      });
      return fromRow(row);
    },

    async remove(change, name) {
      await make(change, async (tx, announce) => {
        const plans = createPlansStore(tx);
        if (!(await plans.lock(name))) return;
        const companyId = await plans.findCompanyOn(name);
        if (companyId !== undefined) {
          throw new Conflict(`Company ${companyId} is on this plan; move it to another plan first.`);
        }
        await plans.remove(name);
        announce([directoryTombstone('plan', name.tier, name.cycle)]);
      });
    },
  };
}

/** Returns the stored JSON of entitlements. Throws BadRequest when it would not fit into an event log record. */
export function serializeEntitlements(entitlements: Record<string, unknown>): string {
  const json = JSON.stringify(entitlements);
  if (Buffer.byteLength(json) > MAX_ENTITLEMENTS_BYTES) {
    throw new BadRequest(`entitlements: larger than ${MAX_ENTITLEMENTS_BYTES} bytes of JSON`);
  }
  return json;
}

function fromRow({ tier, cycle, trialDays, priced, entitlements }: PlanRow): Plan {
  return { tier, cycle, trialDays, priced, entitlements: JSON.parse(entitlements) };
}
