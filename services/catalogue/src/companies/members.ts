import type { Member } from '@switchboard/contracts';
import { directoryRecord, directoryTombstone } from '@switchboard/directory';
import { NotFound } from '@switchboard/service-kit';
import type { Db } from '../db.ts';
import type { Outbox } from '../outbox/outbox.ts';
import {
  findCompany,
  findMember,
  holdCompany,
  listMemberRows,
  type MemberRow,
  removeMember,
  upsertMember,
} from './store.ts';

export type Members = ReturnType<typeof createMembers>;

/** The members of companies. */
export function createMembers({ db, outbox }: { db: Db; outbox: Outbox }) {
  return {
    async list(companyId: string, cursor?: string) {
      if ((await findCompany(db, companyId)) === undefined) throw unknownCompany(companyId);
      const { rows, nextCursor } = await listMemberRows(db, companyId, cursor);
      return { members: rows.map(fromRow), nextCursor };
    },

    async get(companyId: string, sub: string): Promise<Member> {
      const row = await findMember(db, companyId, sub);
      if (row === undefined) throw new NotFound(`Company ${companyId} has no member ${sub}.`);
      return fromRow(row);
    },

    async put(companyId: string, member: Member): Promise<Member> {
      const { sub, name, email, avatarUrl = null, pushSubscriptions = [] } = member;
      const content = { companyId, sub, name, email, avatarUrl };
      const row = { ...content, pushSubscriptions: JSON.stringify(pushSubscriptions) };
      await outbox.change(async (tx, announce) => {
        if (!(await holdCompany(tx, companyId))) throw unknownCompany(companyId);
        await upsertMember(tx, row);
        announce([directoryRecord('member', { ...content, pushSubscriptions })]);
      });
      return fromRow(row);
    },

    async remove(companyId: string, sub: string): Promise<void> {
      await outbox.change(async (tx, announce) => {
        if (await removeMember(tx, companyId, sub)) announce([directoryTombstone('member', companyId, sub)]);
      });
    },
  };
}

function unknownCompany(companyId: string): NotFound {
  return new NotFound(`There is no company ${companyId}.`);
}

function fromRow({ sub, name, email, avatarUrl, pushSubscriptions }: MemberRow): Member {
  return { sub, name, email, avatarUrl, pushSubscriptions: JSON.parse(pushSubscriptions) };
}
