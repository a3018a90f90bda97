import type { Company } from '@switchboard/contracts';
import { directoryRecord, directoryTombstone } from '@switchboard/directory';
import { BadRequest, NotFound } from '@switchboard/service-kit';
import type { Db } from '../db.ts';
import { entitlementsJson } from '../entitlements.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { holdPlan } from '../plans/store.ts';
import { removeProjects } from '../projects/removal.ts';
import {
  type CompanyRow,
  findCompany,
  listCompanyRows,
  lockCompany,
  lockProjectsOf,
  removeCompanyAndMembers,
  upsertCompany,
} from './store.ts';

export type Companies = ReturnType<typeof createCompanies>;

/** The companies; each is on a plan that exists. */
export function createCompanies({ db, outbox }: { db: Db; outbox: Outbox }) {
  return {
    async list(cursor?: string) {
      const { rows, nextCursor } = await listCompanyRows(db, cursor);
      return { companies: rows.map(fromRow), nextCursor };
    },

    async get(id: string): Promise<Company> {
      const row = await findCompany(db, id);
      if (row === undefined) throw new NotFound(`There is no company ${id}.`);
      return fromRow(row);
    },

    async put({ id, name, plan, entitlements = {} }: Company): Promise<Company> {
      const row = { id, name, ...plan, entitlements: entitlementsJson(entitlements) };
      await outbox.change(async (tx, announce) => {
        if (!(await holdPlan(tx, plan))) {
          throw new BadRequest(`plan: there is no plan ${plan.tier}/${plan.cycle}`);
        }
        await upsertCompany(tx, row);
        announce([directoryRecord('company', { id, name, plan, entitlements })]);
      });
      return fromRow(row);
    },

    /** Removes the company with its members and its projects, and their keys and reports. */
    async remove(id: string): Promise<void> {
      await outbox.change(async (tx, announce) => {
        if (!(await lockCompany(tx, id))) return;
        announce(await removeProjects(tx, await lockProjectsOf(tx, id)));
        const subs = await removeCompanyAndMembers(tx, id);
        announce(subs.map((sub) => directoryTombstone('member', id, sub)));
        announce([directoryTombstone('company', id)]);
      });
    },
  };
}

function fromRow({ id, name, tier, cycle, entitlements }: CompanyRow): Company {
  return { id, name, plan: { tier, cycle }, entitlements: JSON.parse(entitlements) };
}
