import type { Db, Tx } from '@switchboard/database';
import { and, asc, count, eq, gt, inArray, type SQL, sql } from 'drizzle-orm';
import { groupRoles, scimGroupMembers, scimGroups, scimTokens, scimUsers } from '../schema/index.ts';

export type UserRow = typeof scimUsers.$inferSelect;
export type GroupRow = typeof scimGroups.$inferSelect;
export type TokenRow = typeof scimTokens.$inferSelect;

const ROWS_AT_ONCE = 1000;
/** Rows of a page of a list. */
export const PAGE_SIZE = 500;

/** Equal values that narrow a list, by column. */
export interface Narrowed {
  id?: string | undefined;
  name?: string | undefined;
  externalId?: string | undefined;
  /** For users. */
  accountId?: string | undefined;
}

/** The rows of a list to read. */
interface Slice {
  offset: number;
  limit: number;
}

const FIRST_PAGE: Slice = { offset: 0, limit: PAGE_SIZE };

export interface ScimStore {
  /** Runs one change of a company at a time, in a transaction. */
  change<T>(companyId: string, work: (store: ScimStore, tx: Tx) => Promise<T>): Promise<T>;

  companyOf(tokenHash: string): Promise<string | undefined>;
  insertToken(row: TokenRow): Promise<void>;
  listTokens(companyId: string): Promise<Omit<TokenRow, 'hash'>[]>;
  removeToken(companyId: string, id: string): Promise<boolean>;

  /** Returns the next users in the order of their ids, at most PAGE_SIZE. */
  listUsers(companyId: string, narrowed: Narrowed, after: string, slice?: Slice): Promise<UserRow[]>;
  countUsers(companyId: string): Promise<number>;
  findUser(companyId: string, id: string): Promise<UserRow | undefined>;
  /** Returns the users with these ids, in their order of ids. */
  findUsers(companyId: string, ids: readonly string[]): Promise<UserRow[]>;
  /** Returns those of the ids that are users of the company. */
  findUserIds(companyId: string, ids: readonly string[]): Promise<string[]>;
  insertUser(row: UserRow): Promise<void>;
  updateUser(row: UserRow): Promise<void>;
  removeUser(companyId: string, id: string): Promise<void>;

  /** Works like `listUsers`. */
  listGroups(companyId: string, narrowed: Narrowed, after: string, slice?: Slice): Promise<GroupRow[]>;
  countGroups(companyId: string): Promise<number>;
  findGroup(companyId: string, id: string): Promise<GroupRow | undefined>;
  insertGroup(row: GroupRow): Promise<void>;
  updateGroup(row: GroupRow): Promise<void>;
  removeGroup(companyId: string, id: string): Promise<void>;
  /** Returns the members of groups, at most `limit`. */
  membersOf(
    companyId: string,
    groupIds: readonly string[],
    limit: number,
  ): Promise<{ groupId: string; userId: string; name: string }[]>;
  groupsOf(
    companyId: string,
    userIds: readonly string[],
  ): Promise<{ userId: string; groupId: string; groupName: string }[]>;
  memberIds(companyId: string, groupId: string): Promise<string[]>;
  addMembers(companyId: string, groupId: string, userIds: readonly string[]): Promise<void>;
  removeMembers(companyId: string, groupId: string, userIds: readonly string[]): Promise<void>;

  /** Returns the roles of groups by the names of the groups, in lower case. */
  rolesOfGroups(companyId: string): Promise<{ groupName: string; role: string }[]>;
  setRolesOfGroups(companyId: string, roles: readonly { groupName: string; role: string }[]): Promise<void>;
}

export function createScimStore(db: Db | Tx): ScimStore {
  const usersWhere = (companyId: string, { id, name, externalId, accountId }: Narrowed): SQL | undefined =>
    and(
      eq(scimUsers.companyId, companyId),
      id === undefined ? undefined : eq(scimUsers.id, id),
      name === undefined ? undefined : eq(scimUsers.userName, name),
      externalId === undefined ? undefined : eq(scimUsers.externalId, externalId),
      accountId === undefined ? undefined : eq(scimUsers.accountId, accountId),
    );
  const groupsWhere = (companyId: string, { id, name, externalId }: Narrowed): SQL | undefined =>
    and(
      eq(scimGroups.companyId, companyId),
      id === undefined ? undefined : eq(scimGroups.id, id),
      name === undefined ? undefined : eq(scimGroups.groupName, name),
      externalId === undefined ? undefined : eq(scimGroups.externalId, externalId),
    );

  return {
    change: (companyId, work) =>
      db.transaction(async (tx) => {
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`scim ${companyId}`}, 0))`);
        return work(createScimStore(tx), tx);
      }),

    async companyOf(tokenHash) {
      const [row] = await db
        .select({ companyId: scimTokens.companyId })
        .from(scimTokens)
        .where(eq(scimTokens.hash, tokenHash));
      return row?.companyId;
    },
    async insertToken(row) {
      await db.insert(scimTokens).values(row);
    },
    listTokens: (companyId) =>
      db
        .select({
          id: scimTokens.id,
          companyId: scimTokens.companyId,
          name: scimTokens.name,
          createdAt: scimTokens.createdAt,
        })
        .from(scimTokens)
        .where(eq(scimTokens.companyId, companyId))
        .orderBy(asc(scimTokens.createdAt), asc(scimTokens.id)),
    async removeToken(companyId, id) {
      const removed = await db
        .delete(scimTokens)
        .where(and(eq(scimTokens.companyId, companyId), eq(scimTokens.id, id)))
        .returning({ id: scimTokens.id });
      return removed.length > 0;
    },

    listUsers: (companyId, narrowed, after, { offset, limit } = FIRST_PAGE) =>
      db
        .select()
        .from(scimUsers)
        .where(and(usersWhere(companyId, narrowed), gt(scimUsers.id, after)))
        .orderBy(asc(scimUsers.id))
        .offset(offset)
        .limit(limit),
    async countUsers(companyId) {
      const [row] = await db.select({ users: count() }).from(scimUsers).where(usersWhere(companyId, {}));
      return row?.users ?? 0;
    },
    async findUser(companyId, id) {
      const [row] = await db.select().from(scimUsers).where(usersWhere(companyId, { id }));
      return row;
    },
    findUsers: (companyId, ids) =>
      db
        .select()
        .from(scimUsers)
        .where(and(eq(scimUsers.companyId, companyId), inArray(scimUsers.id, [...ids])))
        .orderBy(asc(scimUsers.id)),
    async findUserIds(companyId, ids) {
      if (ids.length === 0) return [];
      const rows = await db
        .select({ id: scimUsers.id })
        .from(scimUsers)
        .where(and(eq(scimUsers.companyId, companyId), inArray(scimUsers.id, [...ids])));
      return rows.map(({ id }) => id);
    },
    async insertUser(row) {
      await db.insert(scimUsers).values(row);
    },
    async updateUser({ companyId, id, ...row }) {
      await db.update(scimUsers).set(row).where(usersWhere(companyId, { id }));
    },
    async removeUser(companyId, id) {
      await db.delete(scimUsers).where(usersWhere(companyId, { id }));
      await db
        .delete(scimGroupMembers)
        .where(and(eq(scimGroupMembers.companyId, companyId), eq(scimGroupMembers.userId, id)));
    },

    listGroups: (companyId, narrowed, after, { offset, limit } = FIRST_PAGE) =>
      db
        .select()
        .from(scimGroups)
        .where(and(groupsWhere(companyId, narrowed), gt(scimGroups.id, after)))
        .orderBy(asc(scimGroups.id))
        .offset(offset)
        .limit(limit),
    async countGroups(companyId) {
      const [row] = await db.select({ groups: count() }).from(scimGroups).where(groupsWhere(companyId, {}));
      return row?.groups ?? 0;
    },
    async findGroup(companyId, id) {
      const [row] = await db.select().from(scimGroups).where(groupsWhere(companyId, { id }));
      return row;
    },
    async insertGroup(row) {
      await db.insert(scimGroups).values(row);
    },
    async updateGroup({ companyId, id, ...row }) {
      await db.update(scimGroups).set(row).where(groupsWhere(companyId, { id }));
    },
    async removeGroup(companyId, id) {
      await db.delete(scimGroups).where(groupsWhere(companyId, { id }));
      await db
        .delete(scimGroupMembers)
        .where(and(eq(scimGroupMembers.companyId, companyId), eq(scimGroupMembers.groupId, id)));
    },
    async membersOf(companyId, groupIds, limit) {
      if (groupIds.length === 0) return [];
      return db
        .select({
          groupId: scimGroupMembers.groupId,
          userId: scimGroupMembers.userId,
          name: scimUsers.userName,
        })
        .from(scimGroupMembers)
        .innerJoin(
          scimUsers,
          and(eq(scimUsers.companyId, scimGroupMembers.companyId), eq(scimUsers.id, scimGroupMembers.userId)),
        )
        .where(
          and(eq(scimGroupMembers.companyId, companyId), inArray(scimGroupMembers.groupId, [...groupIds])),
        )
        .orderBy(asc(scimGroupMembers.userId))
        .limit(limit);
    },
    async groupsOf(companyId, userIds) {
      if (userIds.length === 0) return [];
      return db
        .select({ userId: scimGroupMembers.userId, groupId: scimGroups.id, groupName: scimGroups.groupName })
        .from(scimGroupMembers)
        .innerJoin(
          scimGroups,
          and(
            eq(scimGroups.companyId, scimGroupMembers.companyId),
            eq(scimGroups.id, scimGroupMembers.groupId),
          ),
        )
        .where(and(eq(scimGroupMembers.companyId, companyId), inArray(scimGroupMembers.userId, [...userIds])))
        .orderBy(asc(scimGroups.id));
    },
    async memberIds(companyId, groupId) {
      const rows = await db
        .select({ userId: scimGroupMembers.userId })
        .from(scimGroupMembers)
        .where(and(eq(scimGroupMembers.companyId, companyId), eq(scimGroupMembers.groupId, groupId)));
      return rows.map(({ userId }) => userId);
    },
    async addMembers(companyId, groupId, userIds) {
      const rows = userIds.map((userId) => ({ companyId, groupId, userId }));
      for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
        await db.insert(scimGroupMembers).values(rows.slice(start, start + ROWS_AT_ONCE));
      }
    },
    async removeMembers(companyId, groupId, userIds) {
      if (userIds.length === 0) return;
      await db
        .delete(scimGroupMembers)
        .where(
          and(
            eq(scimGroupMembers.companyId, companyId),
            eq(scimGroupMembers.groupId, groupId),
            inArray(scimGroupMembers.userId, [...userIds]),
          ),
        );
    },

    rolesOfGroups: (companyId) =>
      db
        .select({ groupName: groupRoles.groupName, role: groupRoles.role })
        .from(groupRoles)
        .where(eq(groupRoles.companyId, companyId))
        .orderBy(asc(groupRoles.groupName)),
    async setRolesOfGroups(companyId, roles) {
      await db.transaction(async (tx) => {
        await tx.delete(groupRoles).where(eq(groupRoles.companyId, companyId));
        if (roles.length > 0) await tx.insert(groupRoles).values(roles.map((one) => ({ companyId, ...one })));
      });
    },
  };
}
