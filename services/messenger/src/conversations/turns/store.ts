import type { ConversationStatus, PageContext, TurnMail } from '@switchboard/contracts';
import { type Db, inTransaction, type Transactor, type Tx, tryTransaction } from '@switchboard/database';
import { and, asc, desc, eq, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { announce } from '../../schema/announcements.ts';
import { claimAttachments, expiryRenewed, type TokenRenewal } from '../../schema/conversations.ts';
import { addHistory } from '../../schema/history.ts';
import { attachments, conversations, supportSettings, teammates, turns } from '../../schema/index.ts';
import { schedulePush } from '../../schema/pushes.ts';
import { scheduleMail } from '../../schema/schedule-mail.ts';
import { turnWords } from '../../schema/words.ts';
import type { TurnRow } from '../rows.ts';
import { CAPACITY, turnBytes } from './size.ts';

/** A range of positions that includes `upTo`. */
export interface TurnRange {
  after: number;
  upTo: number;
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

export interface TurnsStore {
  /** Returns turns, oldest first. */
  read(projectId: string, conversationId: string, range: TurnRange): Promise<TurnRow[]>;
  /** Returns the position of a turn. Undefined if it is not in the conversation. */
  positionOf(conversationId: string, turnId: string): Promise<number | undefined>;
  /** The query behind `positionOf`, for tests that explain it. */
  positionQuery(conversationId: string, turnId: string): { toSQL(): { sql: string; params: unknown[] } };
  /**
   * Appends a turn with its attachments, all or nothing. Concurrent appends wait for the conversation's row, so
   * positions have no gaps and a repeated idempotency key finds its first turn.
   */
  append(turn: NewTurn, within?: Transactor): Promise<AppendResult>;
}

const NEWEST_TURNS = 50;

export function createTurnsStore(db: Db): TurnsStore {
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

  const turnsInRange = findTurnsInRange(db);
  const filesInRange = findFilesInRange(db);
  const updating = prepareUpdates(db);

  return {
    read: findTurns,
    positionQuery,

    async positionOf(conversationId, turnId) {
      const [row] = await positionQuery(conversationId, turnId);
      return row?.position;
    },

    async append(turn, within = db) {
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
  };
}

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

const PROJECT_ID = sql.placeholder('projectId');
const CONVERSATION_ID = sql.placeholder('conversationId');
const AFTER = sql.placeholder('after');
const UP_TO = sql.placeholder('upTo');

const inRange = (position: typeof turns.position | typeof attachments.turnPosition) =>
  sql`${position} > ${AFTER}::int and ${position} <= ${UP_TO}::int`;

/** Built once, like findFilesInRange, because every reader runs this query. */
function findTurnsInRange(db: Db) {
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

function findFilesInRange(db: Db) {
  return db
    .select(attachmentColumns)
    .from(attachments)
    .where(and(sql`${attachments.conversationId} = ${CONVERSATION_ID}`, inRange(attachments.turnPosition)))
    .orderBy(asc(attachments.turnPosition), asc(attachments.place))
    .prepare('files_in_range');
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
function prepareUpdate(db: Db, isOfVisitor: boolean, renewsToken: boolean) {
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

function prepareUpdates(db: Db): Updating {
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
