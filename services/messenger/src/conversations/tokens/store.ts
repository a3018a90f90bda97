import { type ConversationTokenRevocation, VISITOR_CONVERSATIONS } from '@switchboard/contracts';
import type { Db, Transactor } from '@switchboard/database';
import { and, desc, eq, exists, inArray, ne, or, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import {
  conversationColumns,
  expiryRenewed,
  NO_TOKEN,
  ofVerifiedUser,
  sizeColumns,
  type TokenRenewal,
} from '../../schema/conversations.ts';
import { conversations, conversationTokens, teammates } from '../../schema/index.ts';
import type { ConversationRow, ConversationState } from '../rows.ts';

export type { TokenRenewal };

export interface TokenCheck {
  projectId: string;
  conversationId: string;
  tokenHash: string;
}

interface IssuedToken {
  hash: string;
  expiresAt: Date;
}

export interface TokensStore {
  /**
   * Adds a token to each of the latest conversations of a verified user. A conversation keeps the newest ten of these
   * tokens.
   */
  issue<Token extends IssuedToken>(
    projectId: string,
    userId: string,
    issue: () => Token,
  ): Promise<(Token & { conversation: ConversationRow })[]>;
  /** The query for the conversations of a verified user, for tests that explain it. */
  ownQuery(projectId: string, userId: string): { toSQL(): { sql: string; params: unknown[] } };
  /** Returns the conversation of each check. Undefined if the token is not the conversation's or has expired. */
  conversationsOf(checks: readonly TokenCheck[], now: Date): Promise<(ConversationState | undefined)[]>;
  /** Returns when the token expires. Undefined if it is not the conversation's or has expired. */
  expiry(check: TokenCheck, now: Date): Promise<Date | undefined>;
  /** Does nothing if the expiry would move by less than a minute, so that not every read writes. */
  renew(conversationId: string, renewal: TokenRenewal): Promise<void>;
  /**
   * Revokes up to `limit` valid tokens, announces their conversations on REVOKED_CHANNEL, and returns their
   * number. A concurrent renewal does not restore a token.
   */
  revoke(
    projectId: string,
    of: ConversationTokenRevocation,
    limit: number,
    within?: Transactor,
  ): Promise<number>;
}

/** The NOTIFY channel of revoked tokens. The payload is the conversation's id. */
export const REVOKED_CHANNEL = 'conversation_tokens_revoked';

const MAX_TOKENS = 10;

export function createTokensStore(db: Db): TokensStore {
  function ownQuery(projectId: string, userId: string, within = db) {
    return within
      .select(conversationColumns)
      .from(conversations)
      .where(ofVerifiedUser(projectId, userId))
      .orderBy(desc(conversations.lastTurnAt), desc(conversations.id))
      .limit(VISITOR_CONVERSATIONS);
  }

  const byTokens = findByTokens(db);
  const expiryOfToken = findExpiryOfToken(db);

  return {
    ownQuery,

    async issue(projectId, userId, issue) {
      return db.transaction(async (tx) => {
        // A concurrent erasure waits for this lock.
        const own = await ownQuery(projectId, userId, tx).for('no key update');
        const issued = own.map((conversation) => ({ ...issue(), conversation }));
        if (issued.length === 0) return [];
        await tx.insert(conversationTokens).values(
          issued.map(({ conversation, hash: tokenHash, expiresAt }) => ({
            conversationId: conversation.id,
            tokenHash,
            expiresAt,
          })),
        );
        const ids = sql.param(own.map(({ id }) => id));
        await tx.execute(sql`
          delete from ${conversationTokens} using (
            select conversation_id, token_hash,
              row_number() over (partition by conversation_id order by expires_at desc, token_hash) as place
            from ${conversationTokens} where conversation_id = any(${ids}::text[])
          ) as ranked
          where ranked.place > ${MAX_TOKENS} and conversation_tokens.conversation_id = ranked.conversation_id
            and conversation_tokens.token_hash = ranked.token_hash`);
        return issued;
      });
    },

    async conversationsOf(checks, now) {
      const rows = await byTokens.execute({
        projectIds: checks.map(({ projectId }) => projectId),
        ids: checks.map(({ conversationId }) => conversationId),
        hashes: checks.map(({ tokenHash }) => tokenHash),
        now: now.toISOString(),
      });
      const states = new Map(rows.map(({ place, state }) => [place, state]));
      return checks.map((_, index) => states.get(index + 1));
    },

    async expiry(check, now) {
      const [row] = await expiryOfToken.execute({ ...check });
      return row !== undefined && row.expiresAt > now ? row.expiresAt : undefined;
    },

    async renew(conversationId, renewal) {
      const expiry = renewedExpiry(renewal);
      await db
        .update(conversations)
        .set({ tokenExpiresAt: expiry })
        .where(
          and(
            eq(conversations.id, conversationId),
            sql`${conversations.tokenExpiresAt} < ${expiry} - interval '1 minute'`,
          ),
        );
    },

    async revoke(projectId, { conversationId, distinctId, userId }, limit, within = db) {
      const isNamed = and(
        eq(conversations.projectId, projectId),
        conversationId === undefined ? undefined : eq(conversations.id, conversationId),
        distinctId === undefined ? undefined : eq(conversations.distinctId, distinctId),
        userId === undefined ? undefined : eq(conversations.userId, userId),
      );
      const hasOther = exists(
        db.select().from(conversationTokens).where(eq(conversationTokens.conversationId, conversations.id)),
      );
      const named = db
        .select({ id: conversations.id })
        .from(conversations)
        .where(and(isNamed, or(ne(conversations.tokenHash, NO_TOKEN), hasOther)))
        .limit(limit)
        .for('update');
      return within.transaction(async (tx) => {
        const revoked = await tx
          .update(conversations)
          .set({ tokenHash: NO_TOKEN })
          .where(inArray(conversations.id, named))
          .returning({ id: conversations.id });
        const ids = sql.param(revoked.map(({ id }) => id));
        await tx.execute(sql`delete from ${conversationTokens} where conversation_id = any(${ids}::text[])`);
        await tx.execute(
          sql`select pg_notify(${REVOKED_CHANNEL}, id) from unnest(${ids}::text[]) as revoked (id)`,
        );
        return revoked.length;
      });
    },
  };
}

const stateColumns = {
  ...conversationColumns,
  ...sizeColumns,
  tokenExpiresAt: conversations.tokenExpiresAt,
};

/** Built once, because every poll runs this query. */
function findByTokens(db: Db) {
  const [projectIds, ids, hashes] = ['projectIds', 'ids', 'hashes'].map((name) => sql.placeholder(name));
  const wanted = sql`unnest(${projectIds}::text[], ${ids}::text[], ${hashes}::text[])
    with ordinality as wanted(project_id, id, token_hash, place)`;
  const team = db
    .select({ version: sql`md5(string_agg(${teammates}::text, '' order by ${teammates.userId}))` })
    .from(teammates)
    .where(eq(teammates.projectId, conversations.projectId));
  return db
    .select({
      place: sql<number>`wanted.place`,
      state: { ...stateColumns, teamVersion: sql<string>`coalesce((${team}), '')` },
    })
    .from(conversations)
    .innerJoin(
      wanted,
      and(eq(conversations.id, sql`wanted.id`), eq(conversations.projectId, sql`wanted.project_id`)),
    )
    .leftJoin(
      conversationTokens,
      and(
        eq(conversationTokens.conversationId, conversations.id),
        eq(conversationTokens.tokenHash, sql`wanted.token_hash`),
      ),
    )
    .where(sql`${conversationTokens.expiresAt} > ${sql.placeholder('now')} or (
      ${conversations.tokenHash} = wanted.token_hash
      and ${conversations.tokenExpiresAt} > ${sql.placeholder('now')})`)
    .prepare('conversations_by_tokens');
}

/** Built once, because every turn runs this query. */
function findExpiryOfToken(db: Db) {
  const ofConversation = and(
    sql`${conversations.projectId} = ${sql.placeholder('projectId')}`,
    sql`${conversations.id} = ${sql.placeholder('conversationId')}`,
  );
  const opening = db
    .select({ expiresAt: conversations.tokenExpiresAt })
    .from(conversations)
    .where(and(ofConversation, sql`${conversations.tokenHash} = ${sql.placeholder('tokenHash')}`));
  const other = db
    .select({ expiresAt: conversationTokens.expiresAt })
    .from(conversationTokens)
    .innerJoin(conversations, eq(conversations.id, conversationTokens.conversationId))
    .where(and(ofConversation, sql`${conversationTokens.tokenHash} = ${sql.placeholder('tokenHash')}`));
  return unionAll(opening, other).prepare('expiry_of_token');
}

const renewedExpiry = ({ now, expiresAt, maxDays }: TokenRenewal): SQL =>
  expiryRenewed({
    now: sql`${now.toISOString()}`,
    expiresAt: sql`${expiresAt.toISOString()}`,
    maxDays: sql`${maxDays}`,
  });
