import { type Company, missingPermission } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { directoryRecord } from '@switchboard/directory';
import {
  type AuditedChange,
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  type PageRequest,
} from '@switchboard/http';
import { createErasuresStore } from '../erasures/store.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { serializeEntitlements } from '../plans/plans.ts';
import { createPlansStore } from '../plans/store.ts';
import { type CompanyRow, createCompaniesStore } from './store.ts';

/** The companies. The plan of each company exists. */
export interface Companies {
  list(page: PageRequest): Promise<{ companies: Company[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(id: string): Promise<Company>;
  /**
   * Throws BadRequest when the plan does not exist, and Conflict when a company with this id is being deleted or
   * was deleted. Throws Forbidden if `mayChangePlan` is false and the change creates a company or changes its plan
   * or entitlements: companies must not choose what they pay for.
   */
  put(change: AuditedChange, company: Company, mayChangePlan: boolean): Promise<Company>;
}

interface CompaniesOptions {
  db: Db;
  outbox: Outbox;
}

export function createCompanies({ db, outbox }: CompaniesOptions): Companies {
  const store = createCompaniesStore(db);
  return {
    async list(page) {
      const { rows, nextCursor } = await store.list(page);
      return { companies: rows.map(fromRow), nextCursor };
    },

    async get(id) {
      const row = await store.find(id);
      if (row === undefined) throw companyNotFound();
      return fromRow(row);
    },

    async put(change, { id, name, plan, entitlements = {} }, mayChangePlan) {
      const row = { id, name, ...plan, entitlements: serializeEntitlements(entitlements) };
      await outbox.change(change, async (tx, announce) => {
        if (!(await createPlansStore(tx).hold(plan))) {
          throw new BadRequest(`plan: ${plan.tier}/${plan.cycle} not found; create it first`);
        }
        const companies = createCompaniesStore(tx);
        if (!mayChangePlan && !(await companies.isOnPlan(row))) {
          throw new Forbidden(`plan, entitlements: ${missingPermission('companies.write')}`);
        }
        if (!(await companies.upsert(row)))
          throw new Conflict(`companyId: ${id} is being deleted; choose another`);
        // Read after the insert, because the insert waits for a removal in progress.
        if ((await createErasuresStore(tx).lastOf({ kind: 'company', companyId: id })) !== undefined)
          throw new Conflict(`companyId: ${id} belonged to a company that was deleted; choose another`);
        announce([directoryRecord('company', { id, name, plan, entitlements })]);
      });
      return fromRow(row);
    },
  };
}

export function companyNotFound(): NotFound {
  return new NotFound('Company not found.');
}

function fromRow({ id, name, tier, cycle, entitlements }: CompanyRow): Company {
  return { id, name, plan: { tier, cycle }, entitlements: JSON.parse(entitlements) };
}
