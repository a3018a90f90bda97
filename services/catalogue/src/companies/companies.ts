import { type Company, missingPermission } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { directoryRecord, directoryTombstone } from '@switchboard/directory';
import { BadRequest, Forbidden, NotFound, type PageRequest } from '@switchboard/service-kit';
import type { Outbox } from '../outbox/outbox.ts';
import { serializeEntitlements } from '../plans/entitlements.ts';
import { createPlansStore } from '../plans/store.ts';
import { removeProjects } from '../projects/removal.ts';
import { tokenTombstones } from '../tokens/record.ts';
import { createTokensStore } from '../tokens/store.ts';
import { type CompanyRow, createCompaniesStore } from './store.ts';

/** The companies; each is on a plan that exists. */
export interface Companies {
  list(page: PageRequest): Promise<{ companies: Company[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(id: string): Promise<Company>;
  /**
   * Throws BadRequest when the plan does not exist, and Forbidden for a new company, another plan or other entitlements
   * when `mayChangePlan` is false: what a company pays for is not its own to decide.
   */
  put(company: Company, mayChangePlan: boolean): Promise<Company>;
  /** Removes the company with its members and its projects, and their keys and reports. */
  remove(id: string): Promise<void>;
}

export function createCompanies({ db, outbox }: { db: Db; outbox: Outbox }): Companies {
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

    async put({ id, name, plan, entitlements = {} }, mayChangePlan) {
      const row = { id, name, ...plan, entitlements: serializeEntitlements(entitlements) };
      await outbox.change(async (tx, announce) => {
        if (!(await createPlansStore(tx).hold(plan))) {
          throw new BadRequest(`plan: ${plan.tier}/${plan.cycle} not found; create it first`);
        }
        const companies = createCompaniesStore(tx);
        if (!mayChangePlan && !(await companies.isOnPlan(row))) {
          throw new Forbidden(`plan, entitlements: ${missingPermission('companies.write')}`);
        }
        await companies.upsert(row);
        announce([directoryRecord('company', { id, name, plan, entitlements })]);
      });
      return fromRow(row);
    },

    async remove(id) {
      await outbox.change(async (tx, announce) => {
        const companies = createCompaniesStore(tx);
        if (!(await companies.lock(id))) return;
        announce(await removeProjects(tx, await companies.lockProjects(id)));
        announce(tokenTombstones(await createTokensStore(tx).removeOfCompany(id)));
        const subs = await companies.removeWithMembers(id);
        announce(subs.map((sub) => directoryTombstone('member', id, sub)));
        announce([directoryTombstone('company', id)]);
      });
    },
  };
}

export function companyNotFound(): NotFound {
  return new NotFound('Company not found.');
}

function fromRow({ id, name, tier, cycle, entitlements }: CompanyRow): Company {
  return { id, name, plan: { tier, cycle }, entitlements: JSON.parse(entitlements) };
}
