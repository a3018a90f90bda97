import {
  type AuthorKind,
  type ConversationFilter,
  type ConversationPriority,
  type ConversationStatus,
  type ConversationTokenRevocation,
  type ImportedFrom,
  type PageContext,
  type TurnMail,
  type UploadedAttachment,
  VISITOR_CONVERSATIONS,
} from '@switchboard/contracts';
import { type Db, inTransaction, type Transactor, type Tx, tryTransaction } from '@switchboard/database';
import type { Place } from '@switchboard/http';
import {
  and,
  asc,
  desc,
  eq,
  exists,
  gt,
  gte,
  inArray,
  isNotNull,
  isNull,
  lt,
  lte,
  ne,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { announce } from '../schema/announcements.ts';
import { claimAttachments, NO_TOKEN } from '../schema/conversations.ts';
import { addHistory } from '../schema/history.ts';
import {
  attachments,
  conversationMail,
  conversationMentions,
  conversationReads,
  conversations,
  conversationTokens,
  supportSettings,
  teammates,
  turns,
} from '../schema/index.ts';
import { schedulePush } from '../schema/pushes.ts';
import { scheduleMail } from '../schema/schedule-mail.ts';
import { turnWords } from '../schema/words.ts';
import { CAPACITY, turnBytes } from './size.ts';

export interface ConversationRow {
  id: string;
  distinctId: string;
  subject: string | null;
  status: ConversationStatus;
  userId: string | null;
  userVerified: boolean;
  createdAt: Date;
  lastTurnAt: Date;
  /** The times of the last turns that the visitor and a teammate have read. */
  visitorReadAt: Date | null;
  teammateReadAt: Date | null;
}

/** A conversation with the fields that only staff see. */
export interface StaffRow extends ConversationRow {
  assigneeId: string | null;
  teamId: string | null;
  priority: ConversationPriority;
  labelIds: string[];
  isSnoozed: boolean;
  snoozedUntil: Date | null;
  firstReplyAt: Date | null;
  resolvedAt: Date | null;
  /** When the visitor wrote the first turn without an answer. */
  waitingSince: Date | null;
  satisfactionScore: number | null;
  importedFrom: ImportedFrom | null;
}

/** A conversation in a list of a member. */
export interface SummaryRow extends StaffRow {
  lastTurn: { authorKind: AuthorKind; body: string } | null;
  /** Whether the member has not read the last turn. */
  isUnread: boolean;
}

/** The size of a conversation. The positions of its turns start at 1. */
export interface ConversationSize {
  id: string;
  turnCount: number;
  /** The bytes of the turns' texts in a response. */
  turnBytes: number;
}

/** A conversation, with the fields that show whether a reader has all of it and whether to renew its token. */
export interface ConversationState extends ConversationRow, ConversationSize {
  tokenExpiresAt: Date;
  /** Changes with the names and avatars of the project's teammates, because these are shown beside their turns. */
  teamVersion: string;
}

/** A range of positions that includes `upTo`. */
export interface TurnRange {
  after: number;
  upTo: number;
}

export interface TurnRow {
  id: string;
  position: number;
  authorKind: AuthorKind;
  authorId: string | null;
  /** The current name and avatar in the project's team. An imported turn has the name in the other product. */
  authorName: string | null;
  avatarFile: string | null;
  body: string;
  pageContext: PageContext | null;
  /** How the turn came by mail. */
  mail: TurnMail | null;
  createdAt: Date;
  attachments: UploadedAttachment[];
}

/** The mail address of a new conversation. */
export interface NewContact {
  email: string;
  name: string | null;
  source: 'opening' | 'mail';
  language: string;
}

export interface NewConversation extends Omit<ConversationRow, 'visitorReadAt' | 'teammateReadAt'> {
  projectId: string;
  tokenHash: string;
  tokenExpiresAt: Date;
}

export interface TokenCheck {
  projectId: string;
  conversationId: string;
  tokenHash: string;
}

/**
 * The new expiry of a token: `expiresAt`, but at most `maxDays` after the conversation was opened. A token that has
 * expired by `now` stays expired.
 */
export interface TokenRenewal {
  now: Date;
  expiresAt: Date;
  maxDays: number;
}

/**
 * A visitor's turn is attributed to the conversation's user if that user was verified, otherwise to no one. Mail
 * verifies no user.
 */
export type TurnAuthor = { kind: 'visitor' } | { kind: 'teammate'; id: string };

export interface NewTurn {
  id: string;
  projectId: string;
  conversationId: string;
  author: TurnAuthor;
  body: string;
  pageContext: PageContext | null;
  mail?: TurnMail;
  idempotencyKey: string | null;
  attachmentIds: readonly string[];
  createdAt: Date;
  /** The conversation's status after this turn. */
  status: ConversationStatus;
  /** The configuration that divides the body into words for searches. */
  searchConfiguration: string;
  tokenRenewal?: TokenRenewal;
  /** Whether the turn is mailed to a visitor who does not read it. */
  isMailed?: boolean;
}

export type AppendResult =
  | { outcome: 'appended'; turn: TurnRow; statusBefore: ConversationStatus }
  /** The idempotency key was used before, for this turn. */
  | { outcome: 'repeated'; turn: TurnRow }
  | { outcome: 'no conversation' }
  /** An attachment belongs to another conversation, does not exist or was already sent. */
  | { outcome: 'attachment refused' }
  /** The turn would exceed CAPACITY. */
  | { outcome: 'full' };

export interface PageRequest {
  projectId: string;
  /** The member who reads the list. */
  sub: string;
  status?: ConversationStatus | undefined;
  snoozed?: boolean | undefined;
  /** null for the conversations of no one. */
  assigneeId?: string | null | undefined;
  teamId?: string | undefined;
  labelId?: string | undefined;
  priority?: ConversationPriority | undefined;
  satisfaction?: ConversationFilter['satisfaction'];
  /** latest: the latest turn first. waiting: only conversations that wait for an answer, longest first. */
  sort?: 'latest' | 'waiting';
  /** Only conversations with a note that mentions this member. */
  mentioned?: string | undefined;
  /** Only these conversations. */
  ids?: readonly string[] | undefined;
  /** Only conversations of these distinct ids. */
  distinctIds?: readonly string[] | undefined;
  /** The last conversation of the previous page, by the time that sorts the list. */
  after: Place | undefined;
  size: number;
}

interface IssuedToken {
  hash: string;
  expiresAt: Date;
}

export interface ConversationsStore {
  /**
   * Adds a token to each of the latest conversations of a verified user. A conversation keeps the newest ten of these
   * tokens.
   */
  issueTokens<Token extends IssuedToken>(
    projectId: string,
    userId: string,
    issue: () => Token,
  ): Promise<(Token & { conversation: ConversationRow })[]>;
  /** The query for the conversations of a verified user, for tests that explain it. */
  ownQuery(projectId: string, userId: string): { toSQL(): { sql: string; params: unknown[] } };
  /** Returns the number of conversations of a verified user that are not resolved. */
  countUnresolved(projectId: string, userId: string): Promise<number>;
  /** Adds a conversation. Does nothing if one with this id exists. */
  add(conversation: NewConversation, contact?: NewContact): Promise<void>;
  find(projectId: string, id: string): Promise<(StaffRow & ConversationSize) | undefined>;
  /** Returns the conversation of each check. Undefined if the token is not the conversation's or has expired. */
  findByTokens(checks: readonly TokenCheck[], now: Date): Promise<(ConversationState | undefined)[]>;
  /** Returns when the token expires. Undefined if it is not the conversation's or has expired. */
  tokenExpiry(check: TokenCheck, now: Date): Promise<Date | undefined>;
  /** Does nothing if the expiry would move by less than a minute, so that not every read writes. */
  renewToken(conversationId: string, renewal: TokenRenewal): Promise<void>;
  /** Returns turns, oldest first. */
  turns(projectId: string, conversationId: string, range: TurnRange): Promise<TurnRow[]>;
  /** Returns the position of a turn. Undefined if it is not in the conversation. */
  positionOf(conversationId: string, turnId: string): Promise<number | undefined>;
  /** The query behind `positionOf`, for tests that explain it. */
  positionQuery(conversationId: string, turnId: string): { toSQL(): { sql: string; params: unknown[] } };
  /**
   * Appends a turn with its attachments, all or nothing. Concurrent appends wait for the conversation's row, so
   * positions have no gaps and a repeated idempotency key finds its first turn.
   */
  appendTurn(turn: NewTurn, within?: Transactor): Promise<AppendResult>;
  /** Returns conversations in the order of the request. */
  page(request: PageRequest): Promise<SummaryRow[]>;
  /** The query behind `page`, for tests that explain it. */
  pageQuery(request: PageRequest): { toSQL(): { sql: string; params: unknown[] } };
  /**
   * Revokes up to `limit` valid tokens, announces their conversations on REVOKED_CHANNEL, and returns their
   * number. A concurrent renewal does not restore a token.
   */
  revokeTokens(
    projectId: string,
    of: ConversationTokenRevocation,
    limit: number,
    within?: Transactor,
  ): Promise<number>;
}

/** The NOTIFY channel of revoked tokens. The payload is the conversation's id. */
export const REVOKED_CHANNEL = 'conversation_tokens_revoked';

const NEWEST_TURNS = 50;
/** The characters of the last turn that a list shows. */
const SHOWN_OF_TURN = 200;
const MAX_TOKENS = 10;

export function createConversationsStore(db: Db | Tx): ConversationsStore {
  async function findTurns(
    projectId: string,
    conversationId: string,
    { after, upTo }: TurnRange,
  ): Promise<TurnRow[]> {
    const wanted = { projectId, conversationId, after, upTo };
    const [rows, files] = await Promise.all([turnsInRange.execute(wanted), filesInRange.execute(wanted)]);
    const byTurn = Map.groupBy(files, ({ turnPosition }) => turnPosition);
    return rows.map((row) => ({
      ...row,
      attachments: (byTurn.get(row.position) ?? []).map(({ turnPosition: _, ...file }) => file),
    }));
  }

  function pageQuery({ projectId, sub, after, size, sort = 'latest', ...wanted }: PageRequest) {
    const { status, snoozed, assigneeId, teamId, labelId, priority, mentioned, ids, distinctIds } = wanted;
    const { satisfaction } = wanted;
    const isLatest = sort === 'latest';
    const time = isLatest ? conversations.lastTurnAt : conversations.waitingSince;
    const [isPast, direction] = isLatest ? [lt, desc] : [gt, asc];
    const order = [direction(time), direction(conversations.id)];
    const isAfter =
      after && or(isPast(time, after.at), and(eq(time, after.at), isPast(conversations.id, after.id)));
    // Stated separately because PostgreSQL does not use the index for the `or` above.
    const start = after && (isLatest ? lte(time, after.at) : gte(time, after.at));
    const mentioning = db
      .select({ id: conversationMentions.conversationId })
      .from(conversationMentions)
      .where(
        and(eq(conversationMentions.projectId, projectId), eq(conversationMentions.sub, mentioned ?? '')),
      );
    const found = db
      .select()
      .from(conversations)
      .where(
        and(
          eq(conversations.projectId, projectId),
          status && eq(conversations.status, status),
          snoozed === undefined
            ? undefined
            : snoozed
              ? conversations.isSnoozed
              : not(conversations.isSnoozed),
          assigneeId === null ? isNull(conversations.assigneeId) : undefined,
          assigneeId ? eq(conversations.assigneeId, assigneeId) : undefined,
          teamId === undefined ? undefined : eq(conversations.teamId, teamId),
          // The index has only conversations with labels.
          labelId === undefined
            ? undefined
            : sql`${conversations.labelIds} @> array[${labelId}]::text[] and ${conversations.labelIds} <> '{}'`,
          // The index leaves out the usual priority.
          priority &&
            (priority === 'normal'
              ? eq(conversations.priority, priority)
              : sql`${conversations.priority} = ${priority} and ${conversations.priority} <> 'normal'`),
          mentioned === undefined ? undefined : inArray(conversations.id, mentioning),
          satisfaction && scoreIn(satisfaction),
          isLatest ? undefined : isNotNull(conversations.waitingSince),
          ids && inArray(conversations.id, [...ids]),
          distinctIds && inArray(conversations.distinctId, [...distinctIds]),
          start,
          isAfter,
        ),
      )
      .orderBy(...order)
      .limit(size)
      .as('conversations');
    return db
      .select({
        ...staffColumns,
        lastTurn: {
          authorKind: turns.authorKind,
          body: sql<string>`left(${turns.body}, ${SHOWN_OF_TURN}::int)`,
        },
        isUnread: sql<boolean>`greatest(${conversationReads.position}, ${conversations.importedTurns}, 0)
          < ${conversations.turnCount}`,
      })
      .from(found)
      .leftJoin(
        turns,
        and(eq(turns.conversationId, conversations.id), eq(turns.position, conversations.turnCount)),
      )
      .leftJoin(
        conversationReads,
        and(eq(conversationReads.conversationId, conversations.id), eq(conversationReads.sub, sub)),
      )
      .orderBy(...order);
  }

  /** Searches recent turns first, because readers ask for later ones. Searches all turns only for an older one. */
  function positionQuery(conversationId: string, turnId: string) {
    const newest = db
      .select({ id: turns.id, position: turns.position })
      .from(turns)
      .where(eq(turns.conversationId, conversationId))
      .orderBy(desc(turns.position))
      .limit(NEWEST_TURNS)
      .as('newest');
    const amongNewest = db.select({ position: newest.position }).from(newest).where(eq(newest.id, turnId));
    const amongAll = db
      .select({ position: turns.position })
      .from(turns)
      .where(and(eq(turns.conversationId, conversationId), eq(turns.id, turnId)));
    return unionAll(amongNewest, amongAll).limit(1);
  }

  function ownQuery(projectId: string, userId: string, within = db) {
    return within
      .select(conversationColumns)
      .from(conversations)
      .where(ofVerifiedUser(projectId, userId))
      .orderBy(desc(conversations.lastTurnAt), desc(conversations.id))
      .limit(VISITOR_CONVERSATIONS);
  }

  const byTokens = findByTokens(db);
  const turnsInRange = findTurnsInRange(db);
  const filesInRange = findFilesInRange(db);
  const expiryOfToken = findExpiryOfToken(db);
  const updating = prepareUpdates(db);

  return {
    turns: findTurns,
    pageQuery,
    ownQuery,
    positionQuery,
    page: async (request) => pageQuery(request),

    async positionOf(conversationId, turnId) {
      const [row] = await positionQuery(conversationId, turnId);
      return row?.position;
    },

    async issueTokens(projectId, userId, issue) {
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

    countUnresolved: (projectId, userId) =>
      db.$count(conversations, and(ofVerifiedUser(projectId, userId), ne(conversations.status, 'resolved'))),

    async add(conversation, contact) {
      await db.transaction(async (tx) => {
        const added = await tx
          .insert(conversations)
          .values(conversation)
          .onConflictDoNothing()
          .returning({ id: conversations.id });
        if (added.length > 0)
          await announce(tx, [{ ...conversation, type: 'conversation.opened', at: conversation.createdAt }]);
        if (contact === undefined) return;
        await tx
          .insert(conversationMail)
          .values({ ...contact, conversationId: conversation.id })
          .onConflictDoNothing();
      });
    },

    async find(projectId, id) {
      const [row] = await db
        .select({ ...staffColumns, ...sizeColumns })
        .from(conversations)
        .where(inProject(projectId, id));
      return row;
    },

    async findByTokens(checks, now) {
      const rows = await byTokens.execute({
        projectIds: checks.map(({ projectId }) => projectId),
        ids: checks.map(({ conversationId }) => conversationId),
        hashes: checks.map(({ tokenHash }) => tokenHash),
        now: now.toISOString(),
      });
      const states = new Map(rows.map(({ place, state }) => [place, state]));
      return checks.map((_, index) => states.get(index + 1));
    },

    async tokenExpiry(check, now) {
      const [row] = await expiryOfToken.execute({ ...check });
      return row !== undefined && row.expiresAt > now ? row.expiresAt : undefined;
    },

    async renewToken(conversationId, renewal) {
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

    async appendTurn(turn, within = db) {
      const inserted = await tryTransaction<InsertedTurn | Refusal>(within, (tx, undo) =>
        insertTurn(tx, turn, undo, updating),
      );
      if ('outcome' in inserted) return inserted;
      const { position, repeated, authorId, statusBefore, createdAt } = inserted;
      // All fields of a new visitor turn without attachments are known. Any other turn is read back.
      const isKnown = !repeated && turn.author.kind === 'visitor' && turn.attachmentIds.length === 0;
      const [row] = isKnown
        ? [newVisitorTurn({ ...turn, createdAt }, position, authorId)]
        : await findTurns(turn.projectId, turn.conversationId, { after: position - 1, upTo: position });
      if (row === undefined) return { outcome: 'no conversation' };
      return repeated ? { outcome: 'repeated', turn: row } : { outcome: 'appended', turn: row, statusBefore };
    },

    async revokeTokens(projectId, { conversationId, distinctId, userId }, limit, within = db) {
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

const conversationColumns = {
  id: conversations.id,
  distinctId: conversations.distinctId,
  subject: conversations.subject,
  status: conversations.status,
  userId: conversations.userId,
  userVerified: conversations.userVerified,
  createdAt: conversations.createdAt,
  lastTurnAt: conversations.lastTurnAt,
  visitorReadAt: conversations.visitorReadAt,
  teammateReadAt: conversations.teammateReadAt,
};

const staffColumns = {
  ...conversationColumns,
  assigneeId: conversations.assigneeId,
  teamId: conversations.teamId,
  priority: conversations.priority,
  labelIds: conversations.labelIds,
  isSnoozed: conversations.isSnoozed,
  snoozedUntil: conversations.snoozedUntil,
  firstReplyAt: conversations.firstReplyAt,
  resolvedAt: conversations.resolvedAt,
  waitingSince: conversations.waitingSince,
  satisfactionScore: conversations.satisfactionScore,
  importedFrom: conversations.importedFrom,
};

const sizeColumns = {
  turnCount: conversations.turnCount,
  turnBytes: conversations.turnBytes,
};

const stateColumns = {
  ...conversationColumns,
  ...sizeColumns,
  tokenExpiresAt: conversations.tokenExpiresAt,
};

const turnColumns = {
  id: turns.id,
  position: turns.position,
  authorKind: turns.authorKind,
  authorId: turns.authorId,
  authorName: sql<string | null>`coalesce(${teammates.name}, ${turns.authorName})`,
  avatarFile: teammates.avatarFile,
  body: turns.body,
  pageContext: turns.pageContext,
  mail: turns.mail,
  createdAt: turns.createdAt,
};

const attachmentColumns = {
  id: attachments.id,
  name: attachments.name,
  contentType: attachments.contentType,
  bytes: attachments.bytes,
  turnPosition: attachments.turnPosition,
};

/** Built once, because every poll runs this query. */
function findByTokens(db: Db | Tx) {
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

const PROJECT_ID = sql.placeholder('projectId');
const CONVERSATION_ID = sql.placeholder('conversationId');
const AFTER = sql.placeholder('after');
const UP_TO = sql.placeholder('upTo');

const inRange = (position: typeof turns.position | typeof attachments.turnPosition) =>
  sql`${position} > ${AFTER}::int and ${position} <= ${UP_TO}::int`;

/** Built once, because every turn runs this query. */
function findExpiryOfToken(db: Db | Tx) {
  const ofConversation = and(
    sql`${conversations.projectId} = ${PROJECT_ID}`,
    sql`${conversations.id} = ${CONVERSATION_ID}`,
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

/** Built once, like findFilesInRange, because every reader runs this query. */
function findTurnsInRange(db: Db | Tx) {
  const author = and(
    sql`${teammates.projectId} = ${PROJECT_ID}`,
    eq(teammates.userId, turns.authorId),
    eq(turns.authorKind, 'teammate'),
  );
  return db
    .select(turnColumns)
    .from(turns)
    .leftJoin(teammates, author)
    .where(and(sql`${turns.conversationId} = ${CONVERSATION_ID}`, inRange(turns.position)))
    .orderBy(asc(turns.position))
    .prepare('turns_in_range');
}

function findFilesInRange(db: Db | Tx) {
  return db
    .select(attachmentColumns)
    .from(attachments)
    .where(and(sql`${attachments.conversationId} = ${CONVERSATION_ID}`, inRange(attachments.turnPosition)))
    .orderBy(asc(attachments.turnPosition), asc(attachments.place))
    .prepare('files_in_range');
}

const SCORES = { bad: [1, 2], neutral: [3], good: [4, 5] } as const;

/** The index has only rated conversations. */
const scoreIn = (satisfaction: keyof typeof SCORES) =>
  and(
    isNotNull(conversations.satisfactionScore),
    inArray(conversations.satisfactionScore, [...SCORES[satisfaction]]),
  );

const inProject = (projectId: string, id: string) =>
  and(eq(conversations.projectId, projectId), eq(conversations.id, id));

const ofVerifiedUser = (projectId: string, userId: string) =>
  and(eq(conversations.projectId, projectId), eq(conversations.userId, userId), conversations.userVerified);

const renewedExpiry = ({ now, expiresAt, maxDays }: TokenRenewal): SQL =>
  expiryRenewed({
    now: sql`${now.toISOString()}`,
    expiresAt: sql`${expiresAt.toISOString()}`,
    maxDays: sql`${maxDays}`,
  });

/** Returns the later expiry of a token that has not expired. */
function expiryRenewed({ now, expiresAt, maxDays }: Record<keyof TokenRenewal, SQL>): SQL {
  const latest = sql`${conversations.createdAt} + make_interval(days => ${maxDays}::int)`;
  const isUnexpired = sql`${conversations.tokenExpiresAt} > ${now}::timestamptz`;
  return sql`case when ${isUnexpired} then least(${expiresAt}::timestamptz, ${latest})
    else ${conversations.tokenExpiresAt} end`;
}

interface InsertedTurn {
  position: number;
  /** Whether the turn at this position is an earlier one with the same idempotency key. */
  repeated: boolean;
  authorId: string | null;
  statusBefore: ConversationStatus;
  createdAt: Date;
}

type Refusal = Extract<AppendResult, { outcome: 'no conversation' | 'attachment refused' | 'full' }>;

async function insertTurn(
  tx: Tx,
  turn: NewTurn,
  undo: (result: InsertedTurn | Refusal) => never,
  updating: Updating,
): Promise<InsertedTurn> {
  const { conversationId, author } = turn;
  const idempotencyKey = storedKey(turn);
  const row = await updateConversation(tx, turn, updating);
  if (row === undefined) return undo({ outcome: 'no conversation' });
  // Never before the time of the previous turn: other instances read the clock before they waited for the lock.
  const { position, statusBefore, verifiedUserId, lastTurnAt: createdAt } = row;
  const ofVisitor = turn.mail === undefined ? verifiedUserId : null;
  const authorId = author.kind === 'visitor' ? ofVisitor : author.id;

  if (idempotencyKey !== null) {
    const first = await positionOfKey(tx, conversationId, idempotencyKey);
    if (first !== undefined)
      return undo({ position: first, repeated: true, authorId, statusBefore, createdAt });
  }
  if (position > CAPACITY.turns || row.bytes > CAPACITY.bytes) return undo({ outcome: 'full' });
  // A subject is found like the first turn.
  const text = position === 1 && row.subject !== null ? `${row.subject}\n${turn.body}` : turn.body;
  const insertion = tx.insert(turns).values({
    conversationId,
    position,
    id: turn.id,
    authorKind: author.kind,
    authorId,
    body: turn.body,
    pageContext: turn.pageContext,
    mail: turn.mail ?? null,
    idempotencyKey,
    createdAt,
    words: turnWords({ projectId: turn.projectId, configuration: turn.searchConfiguration, text }, createdAt),
  });
  const isReopened = author.kind === 'visitor' && statusBefore === 'resolved';
  const reopening = { authorId: null, at: createdAt, change: { status: turn.status } };
  const written = { turnId: turn.id, authorKind: author.kind, text: turn.body, at: createdAt };
  const { projectId } = turn;
  // Sent together, in one write to the connection. None depends on another.
  await Promise.all([
    insertion,
    isReopened && addHistory(tx, [conversationId], reopening),
    author.kind === 'visitor' && tx.execute(schedulePush(projectId, conversationId, createdAt)),
    turn.isMailed && scheduleMail(tx, { projectId, conversationId, at: createdAt }),
    announce(tx, [{ ...row, ...written, type: 'conversation.turn', projectId }]),
  ]);
  if (!(await claimAttachments(tx, turn, position))) return undo({ outcome: 'attachment refused' });
  return { position, repeated: false, authorId, statusBefore, createdAt };
}

/** The statement of `updateConversation` for the turns of one kind. Built once, because every turn runs it. */
function prepareUpdate(db: Db | Tx, isOfVisitor: boolean, renewsToken: boolean) {
  const before = db.$with('before').as(
    db
      .select({ id: conversations.id, status: conversations.status })
      .from(conversations)
      .where(
        and(sql`${conversations.projectId} = ${PROJECT_ID}`, sql`${conversations.id} = ${CONVERSATION_ID}`),
      )
      .for('update'),
  );
  const at = sql`${sql.placeholder('at')}::timestamptz`;
  return db
    .with(before)
    .update(conversations)
    .set({
      turnCount: sql`${conversations.turnCount} + 1`,
      turnBytes: sql`${conversations.turnBytes} + ${sql.placeholder('bytes')}::int`,
      lastTurnAt: sql`greatest(${conversations.lastTurnAt}, ${at})`,
      status: sql`${sql.placeholder('status')}`,
      resolvedAt: null,
      ...(isOfVisitor
        ? {
            isSnoozed: false,
            snoozedUntil: null,
            assigneeId: assigneeAfterVisitor(at),
            waitingSince: sql`coalesce(${conversations.waitingSince}, ${at})`,
          }
        : {
            firstReplyAt: sql`coalesce(${conversations.firstReplyAt}, ${at})`,
            waitingSince: null,
          }),
      reopenedAt: sql`case when ${conversations.status} = 'resolved' then ${at}
        else ${conversations.reopenedAt} end`,
      ...(renewsToken && {
        tokenExpiresAt: expiryRenewed({
          now: sql`${sql.placeholder('now')}`,
          expiresAt: sql`${sql.placeholder('expiresAt')}`,
          maxDays: sql`${sql.placeholder('maxDays')}`,
        }),
      }),
    })
    .from(before)
    .where(eq(conversations.id, before.id))
    .returning({
      position: conversations.turnCount,
      bytes: conversations.turnBytes,
      id: conversations.id,
      lastTurnAt: conversations.lastTurnAt,
      distinctId: conversations.distinctId,
      userId: conversations.userId,
      userVerified: conversations.userVerified,
      status: conversations.status,
      statusBefore: before.status,
      subject: conversations.subject,
    })
    .prepare('update_conversation');
}

/** Returns the statement for turns of a visitor or a teammate, with or without a renewed token. */
type Updating = (isOfVisitor: boolean, renewsToken: boolean) => ReturnType<typeof prepareUpdate>;

function prepareUpdates(db: Db | Tx): Updating {
  const built = new Map<string, ReturnType<typeof prepareUpdate>>();
  return (...kind) => {
    const key = kind.join();
    const statement = built.get(key) ?? prepareUpdate(db, ...kind);
    built.set(key, statement);
    return statement;
  };
}

/** Locks the conversation, takes the next position, and updates the fields that the turn changes. */
async function updateConversation(tx: Tx, turn: NewTurn, updating: Updating) {
  const { projectId, conversationId, status, tokenRenewal } = turn;
  const statement = updating(turn.author.kind === 'visitor', tokenRenewal !== undefined);
  const [row] = await inTransaction(tx, statement).execute({
    projectId,
    conversationId,
    status,
    at: turn.createdAt.toISOString(),
    bytes: turnBytes(turn),
    now: tokenRenewal?.now.toISOString(),
    expiresAt: tokenRenewal?.expiresAt.toISOString(),
    maxDays: tokenRenewal?.maxDays,
  });
  return row && { ...row, verifiedUserId: row.userVerified ? row.userId : null };
}

/** A visitor's turn that reopens a conversation clears its assignee when the project's days are over. */
function assigneeAfterVisitor(at: SQL): SQL {
  const days = sql`(select ${supportSettings.keepAssigneeDays} from ${supportSettings}
    where ${supportSettings.projectId} = ${PROJECT_ID})`;
  return sql`case when ${conversations.status} = 'resolved'
    and ${conversations.resolvedAt} + make_interval(days => ${days}) < ${at}
    then null else ${conversations.assigneeId} end`;
}

/** A visitor's key comes from a header without line breaks, so it never equals a key that a teammate used. */
function storedKey({ author, idempotencyKey }: NewTurn): string | null {
  if (idempotencyKey === null || author.kind === 'visitor') return idempotencyKey;
  return `${author.kind}\n${idempotencyKey}`;
}

async function positionOfKey(tx: Tx, conversationId: string, key: string): Promise<number | undefined> {
  const [row] = await tx
    .select({ position: turns.position })
    .from(turns)
    .where(and(eq(turns.conversationId, conversationId), eq(turns.idempotencyKey, key)));
  return row?.position;
}

function newVisitorTurn(turn: NewTurn, position: number, authorId: string | null): TurnRow {
  const { id, body, pageContext, mail = null, createdAt } = turn;
  const author = { authorKind: 'visitor', authorId, authorName: null, avatarFile: null } as const;
  return { id, position, ...author, body, pageContext, mail, createdAt, attachments: [] };
}
