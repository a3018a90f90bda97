import { randomUUID } from 'node:crypto';
import type { Db, Tx } from '@switchboard/database';
import { type Page, type PageRequest, toPage } from '@switchboard/http';
import { and, asc, eq, gt } from 'drizzle-orm';
import { members } from '../schema/index.ts';

export type MemberRow = typeof members.$inferSelect;

export interface MembersStore {
  /** Returns a page of the company's members, ordered by sub. */
  list(companyId: string, page: PageRequest): Promise<Page<MemberRow>>;
  /** Whether the person is a member of any company. */
  isMember(sub: string): Promise<boolean>;
  countOwners(companyId: string): Promise<number>;
  find(companyId: string, sub: string): Promise<MemberRow | undefined>;
  /** Adds or updates a member and returns the generation. A new member gets a new generation. */
  upsert(row: Omit<MemberRow, 'generation'>): Promise<string | null>;
  /** Returns false if the member did not exist. */
  remove(companyId: string, sub: string): Promise<boolean>;
}

const named = (companyId: string, sub: string) => and(eq(members.companyId, companyId), eq(members.sub, sub));

export function createMembersStore(db: Db | Tx): MembersStore {
  return {
    async list(companyId, { cursor, limit }) {
      const isAfter = cursor === undefined ? undefined : gt(members.sub, cursor);
      const rows = await db
        .select()
        .from(members)
        .where(and(eq(members.companyId, companyId), isAfter))
        .orderBy(asc(members.sub))
        .limit(limit + 1);
      return toPage(rows, limit, ({ sub }) => sub);
    },

    async find(companyId, sub) {
      const [row] = await db.select().from(members).where(named(companyId, sub));
      return row;
    },

    async isMember(sub) {
      const rows = await db.select({ sub: members.sub }).from(members).where(eq(members.sub, sub)).limit(1);
      return rows.length > 0;
    },

    countOwners: (companyId) =>
      db.$count(members, and(eq(members.companyId, companyId), eq(members.role, 'owner'))),

    async upsert(row) {
      const { companyId, sub, ...content } = row;
      const [stored] = await db
        .insert(members)
        .values({ ...row, generation: randomUUID() })
        .onConflictDoUpdate({ target: [members.companyId, members.sub], set: content })
        .returning({ generation: members.generation });
      return stored?.generation ?? null;
    },

    async remove(companyId, sub) {
      const removed = await db.delete(members).where(named(companyId, sub)).returning({ sub: members.sub });
      return removed.length > 0;
    },
  };
}
