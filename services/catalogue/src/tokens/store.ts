import type { Db, Tx } from '@switchboard/database';
import type { TokenUse } from '@switchboard/directory';
import { type Page, type PageRequest, toPage } from '@switchboard/http';
import { and, desc, eq, inArray, lt, or, sql } from 'drizzle-orm';
import { apiTokens, members, projects } from '../schema/index.ts';

export type ApiTokenRow = typeof apiTokens.$inferSelect;

export interface TokenSelection extends PageRequest {
  /** Selects only the personal tokens of this person. Undefined: all tokens. */
  sub?: string | undefined;
}

export interface TokensStore {
  /** Returns a page of the company's tokens, newest first. */
  list(companyId: string, selection: TokenSelection): Promise<Page<ApiTokenRow>>;
  find(id: string): Promise<ApiTokenRow | undefined>;
  /** Returns the token of this company and locks it until the transaction ends. */
  lock(companyId: string, id: string): Promise<ApiTokenRow | undefined>;
  insert(row: typeof apiTokens.$inferInsert): Promise<ApiTokenRow | undefined>;
  rotate(
    id: string,
    change: Pick<
      ApiTokenRow,
      'hash' | 'previousHash' | 'previousUntil' | 'rotatedAt' | 'rotatedBy' | 'expiresAt'
    >,
  ): Promise<ApiTokenRow | undefined>;
  /** Returns the number of tokens of this kind in the company, or only those of `sub` if given. */
  count(companyId: string, kind: ApiTokenRow['kind'], sub: string | null): Promise<number>;
  /** Whether the person is a member of the company. */
  isMember(companyId: string, sub: string): Promise<boolean>;
  /** Returns the ids in `ids` that are projects of the company. */
  projectsOf(companyId: string, ids: readonly string[]): Promise<Set<string>>;
  remove(id: string): Promise<void>;
  /** Removes the company's tokens that expired before this time and returns their ids. */
  removeExpired(companyId: string, before: Date): Promise<string[]>;
  /** Removes up to `limit` of the company's tokens and returns their ids. */
  removeOfCompany(companyId: string, limit: number): Promise<string[]>;
  /**
   * Removes deleted projects from the tokens that are restricted to them, and removes the tokens that have no
   * project left. Returns the tokens changed and the ids of those removed.
   */
  leaveProjects(projectIds: readonly string[]): Promise<{ changed: ApiTokenRow[]; removed: string[] }>;
  /** Removes a person's personal tokens in one company or in all, and returns their ids. */
  removeOfPerson(sub: string, companyId?: string): Promise<string[]>;
  /** Returns the company's service tokens that were created or last rotated by one of these people or tokens. */
  madeBy(companyId: string, makers: readonly string[]): Promise<ApiTokenRow[]>;
  /** Removes a person from the creators and rotators of tokens. */
  forgetMaker(sub: string): Promise<void>;
  /** Records when tokens were used, unless a later use is already recorded. */
  noteUses(uses: readonly TokenUse[]): Promise<void>;
}

export function createTokensStore(db: Db | Tx): TokensStore {
  const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id);
  return {
    async list(companyId, { sub, cursor, limit }) {
      const rows = await db
        .select()
        .from(apiTokens)
        .where(
          and(
            eq(apiTokens.companyId, companyId),
            sub === undefined ? undefined : eq(apiTokens.sub, sub),
            cursor === undefined ? undefined : lt(apiTokens.id, cursor),
          ),
        )
        .orderBy(desc(apiTokens.id))
        .limit(limit + 1);
      return toPage(rows, limit, ({ id }) => id);
    },

    async find(id) {
      const [row] = await db.select().from(apiTokens).where(eq(apiTokens.id, id));
      return row;
    },

    async lock(companyId, id) {
      const [row] = await db
        .select()
        .from(apiTokens)
        .where(and(eq(apiTokens.companyId, companyId), eq(apiTokens.id, id)))
        .for('update');
      return row;
    },

    async insert(row) {
      const [stored] = await db.insert(apiTokens).values(row).returning();
      return stored;
    },

    async rotate(id, change) {
      const [stored] = await db.update(apiTokens).set(change).where(eq(apiTokens.id, id)).returning();
      return stored;
    },

    count: (companyId, kind, sub) =>
      db.$count(
        apiTokens,
        and(
          eq(apiTokens.companyId, companyId),
          eq(apiTokens.kind, kind),
          sub === null ? undefined : eq(apiTokens.sub, sub),
        ),
      ),

    async isMember(companyId, sub) {
      const isNamed = and(eq(members.companyId, companyId), eq(members.sub, sub));
      return (await db.$count(members, isNamed)) > 0;
    },

    async projectsOf(companyId, ids) {
      const rows = await db
        .select({ id: projects.id })
        .from(projects)
        .where(and(eq(projects.companyId, companyId), inArray(projects.id, [...ids])));
      return new Set(idsOf(rows));
    },

    async remove(id) {
      await db.delete(apiTokens).where(eq(apiTokens.id, id));
    },

    async removeExpired(companyId, before) {
      const isExpired = and(eq(apiTokens.companyId, companyId), lt(apiTokens.expiresAt, before));
      return idsOf(await db.delete(apiTokens).where(isExpired).returning({ id: apiTokens.id }));
    },

    async removeOfCompany(companyId, limit) {
      const ofCompany = eq(apiTokens.companyId, companyId);
      const some = db.select({ id: apiTokens.id }).from(apiTokens).where(ofCompany).limit(limit);
      return idsOf(
        await db.delete(apiTokens).where(inArray(apiTokens.id, some)).returning({ id: apiTokens.id }),
      );
    },

    async leaveProjects(projectIds) {
      const deleted = sql`${sql.param([...projectIds])}::text[]`;
      const named = sql`json_array_elements_text(${apiTokens.projectIds}::json) as named`;
      const isNaming = sql`${apiTokens.projectIds} is not null
        and exists (select from ${named} where named = any(${deleted}))`;
      const changed = await db
        .update(apiTokens)
        .set({
          projectIds: sql`(select coalesce(json_agg(named), '[]')::text from ${named} where named <> all(${deleted}))`,
        })
        .where(isNaming)
        .returning();
      const empty = changed.filter(({ projectIds: left }) => left === '[]').map(({ id }) => id);
      await db.delete(apiTokens).where(inArray(apiTokens.id, empty));
      return { changed: changed.filter(({ id }) => !empty.includes(id)), removed: empty };
    },

    async removeOfPerson(sub, companyId) {
      const isTheirs = and(
        eq(apiTokens.sub, sub),
        companyId === undefined ? undefined : eq(apiTokens.companyId, companyId),
      );
      return idsOf(await db.delete(apiTokens).where(isTheirs).returning({ id: apiTokens.id }));
    },

    async madeBy(companyId, makers) {
      const all = [...makers];
      return db
        .select()
        .from(apiTokens)
        .where(
          and(
            eq(apiTokens.companyId, companyId),
            eq(apiTokens.kind, 'service'),
            or(inArray(apiTokens.createdBy, all), inArray(apiTokens.rotatedBy, all)),
          ),
        )
        .orderBy(apiTokens.id);
    },

    async forgetMaker(sub) {
      await db.update(apiTokens).set({ createdBy: null }).where(eq(apiTokens.createdBy, sub));
      await db.update(apiTokens).set({ rotatedBy: null }).where(eq(apiTokens.rotatedBy, sub));
    },

    async noteUses(uses) {
      const ids = sql`${sql.param(uses.map(({ tokenId }) => tokenId))}::text[]`;
      const times = sql`${sql.param(uses.map(({ at }) => at))}::text[]`;
      await db.execute(sql`
        update ${apiTokens} set last_used_at = greatest(last_used_at, least(given.at, now()))
        from (select id, max(at::timestamptz) as at from unnest(${ids}, ${times}) as use (id, at) group by id) as given
        where ${apiTokens.id} = given.id`);
    },
  };
}
