import type { Member } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import { directoryRecord, directoryTombstone } from '@switchboard/directory';
import { NotFound } from '@switchboard/service-kit';
import { type Companies, companyNotFound } from '../companies/companies.ts';
import { createCompaniesStore } from '../companies/store.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { createMembersStore, type MemberRow } from './store.ts';

/** The members of companies. */
export interface Members {
  /** Throws NotFound when the company does not exist. */
  list(companyId: string, cursor?: string): Promise<{ members: Member[]; nextCursor: string | null }>;
  /** Throws NotFound. */
  get(companyId: string, sub: string): Promise<Member>;
  /** Throws NotFound when the company does not exist. */
  put(companyId: string, member: Member): Promise<Member>;
  remove(companyId: string, sub: string): Promise<void>;
}

interface MembersOptions {
  db: Db;
  outbox: Outbox;
  companies: Pick<Companies, 'get'>;
}

export function createMembers({ db, outbox, companies }: MembersOptions): Members {
  const store = createMembersStore(db);
  return {
    async list(companyId, cursor) {
      await companies.get(companyId);
      const { rows, nextCursor } = await store.list(companyId, cursor);
      return { members: rows.map(fromRow), nextCursor };
    },

    async get(companyId, sub) {
      const row = await store.find(companyId, sub);
      if (row === undefined) throw new NotFound('Member not found.');
      return fromRow(row);
    },

    async put(companyId, { sub, name, email, avatarUrl = null, pushSubscriptions = [] }) {
      const content = { companyId, sub, name, email, avatarUrl };
      const row = { ...content, pushSubscriptions: JSON.stringify(pushSubscriptions) };
      await outbox.change(async (tx, announce) => {
        if (!(await createCompaniesStore(tx).hold(companyId))) throw companyNotFound();
        await createMembersStore(tx).upsert(row);
        announce([directoryRecord('member', { ...content, pushSubscriptions })]);
      });
      return fromRow(row);
    },

    async remove(companyId, sub) {
      await outbox.change(async (tx, announce) => {
        const isRemoved = await createMembersStore(tx).remove(companyId, sub);
        if (isRemoved) announce([directoryTombstone('member', companyId, sub)]);
      });
    },
  };
}

function fromRow({ sub, name, email, avatarUrl, pushSubscriptions }: MemberRow): Member {
  return { sub, name, email, avatarUrl, pushSubscriptions: JSON.parse(pushSubscriptions) };
}
