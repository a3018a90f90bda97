import type { Db, Tx } from '@switchboard/database';
import { and, asc, eq, gt } from 'drizzle-orm';
import { PAGE_LIMIT, type Page, toPage } from '../paging/paging.ts';
import { members } from '../schema/index.ts';

export type MemberRow = typeof members.$inferSelect;

export interface MembersStore {
  /** A page of a company's members by sub. */
  list(companyId: string, cursor: string | undefined): Promise<Page<MemberRow>>;
  countOwners(companyId: string): Promise<number>;
  find(companyId: string, sub: string): Promise<MemberRow | undefined>;
  upsert(row: MemberRow): Promise<void>;
  /** False when there was no such member. */
  remove(companyId: string, sub: string): Promise<boolean>;
}

const named = (companyId: string, sub: string) => and(eq(members.companyId, companyId), eq(members.sub, sub));

export function createMembersStore(db: Db | Tx): MembersStore {
  return {
    async list(companyId, cursor) {
      const isAfter = cursor === undefined ? undefined : gt(members.sub, cursor);
      const rows = await db
        .select()
        .from(members)
        .where(and(eq(members.companyId, companyId), isAfter))
        .orderBy(asc(members.sub))
        .limit(PAGE_LIMIT);
      return toPage(rows, ({ sub }) => sub);
    },

    async find(companyId, sub) {
      const [row] = await db.select().from(members).where(named(companyId, sub));
      return row;
    },

    countOwners: (companyId) =>
      db.$count(members, and(eq(members.companyId, companyId), eq(members.role, 'owner'))),

    async upsert(row) {
      const { companyId, sub, ...content } = row;
      await db
        .insert(members)
        .values(row)
        .onConflictDoUpdate({ target: [members.companyId, members.sub], set: content });
    },

    async remove(companyId, sub) {
      const removed = await db.delete(members).where(named(companyId, sub)).returning({ sub: members.sub });
      return removed.length > 0;
    },
  };
}
