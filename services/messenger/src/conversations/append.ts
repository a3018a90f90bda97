import type { AuthorKind, ConversationStatus, PageContext } from '@switchboard/contracts';
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../db.ts';
import { attachments, conversations, turns } from '../schema/index.ts';

export interface NewTurn {
  id: string;
  projectId: string;
  conversationId: string;
  authorKind: AuthorKind;
  /** Of the visitor: the user the conversation was opened for, when that was proved. */
  authorId: string | null | 'verified user';
  body: string;
  pageContext: PageContext | null;
  idempotencyKey: string | null;
  attachmentIds: readonly string[];
  createdAt: Date;
  /** The conversation's status from now on. */
  status: ConversationStatus;
  /** The token's end from now on. */
  tokenExpiresAt?: SQL;
}

export type Appended =
  | { outcome: 'appended'; position: number; authorId: string | null; statusBefore: ConversationStatus }
  | { outcome: 'repeated'; position: number }
  | { outcome: 'no conversation' }
  | { outcome: 'not claimed' };

type Tx = Parameters<Parameters<Db['transaction']>[0]>[0];

/** Rolls the transaction back and is its answer. */
class Undo extends Error {
  readonly answer: Appended;
  constructor(answer: Appended) {
    super();
    this.answer = answer;
  }
}

/**
 * Appends a turn with its files, all or nothing. Turns of one conversation take turns on its row, so positions have
 * no gap and an idempotency key meets the turn it was first sent with.
 */
export async function appendTurn(db: Db, turn: NewTurn): Promise<Appended> {
  try {
    return await db.transaction((tx) => append(tx, turn));
  } catch (error) {
    if (error instanceof Undo) return error.answer;
    throw error;
  }
}

async function append(tx: Tx, turn: NewTurn): Promise<Appended> {
  const before = tx.$with('before').as(
    tx
      .select({ id: conversations.id, status: conversations.status })
      .from(conversations)
      .where(and(eq(conversations.id, turn.conversationId), eq(conversations.projectId, turn.projectId)))
      .for('update'),
  );
  const [row] = await tx
    .with(before)
    .update(conversations)
    .set({
      turnCount: sql`${conversations.turnCount} + 1`,
      lastTurnAt: sql`greatest(${conversations.lastTurnAt}, ${turn.createdAt.toISOString()})`,
      status: turn.status,
      ...(turn.tokenExpiresAt && { tokenExpiresAt: turn.tokenExpiresAt }),
    })
    .from(before)
    .where(eq(conversations.id, before.id))
    .returning({
      position: conversations.turnCount,
      userId: conversations.userId,
      userVerified: conversations.userVerified,
      statusBefore: before.status,
    });
  if (row === undefined) return { outcome: 'no conversation' };
  const { position, statusBefore } = row;

  if (turn.idempotencyKey !== null) {
    const first = await positionOf(tx, turn.conversationId, turn.idempotencyKey);
    if (first !== undefined) throw new Undo({ outcome: 'repeated', position: first });
  }
  const verifiedUser = row.userVerified ? row.userId : null;
  const authorId = turn.authorId === 'verified user' ? verifiedUser : turn.authorId;
  await tx.insert(turns).values({
    conversationId: turn.conversationId,
    position,
    id: turn.id,
    authorKind: turn.authorKind,
    authorId,
    body: turn.body,
    pageContext: turn.pageContext,
    idempotencyKey: turn.idempotencyKey,
    createdAt: turn.createdAt,
  });
  if (turn.attachmentIds.length > 0 && !(await claim(tx, turn, position))) {
    throw new Undo({ outcome: 'not claimed' });
  }
  return { outcome: 'appended', position, authorId, statusBefore };
}

async function positionOf(tx: Tx, conversationId: string, key: string): Promise<number | undefined> {
  const [row] = await tx
    .select({ position: turns.position })
    .from(turns)
    .where(and(eq(turns.conversationId, conversationId), eq(turns.idempotencyKey, key)));
  return row?.position;
}

/** Takes the files for the turn; false when one of them is not this conversation's, not there, or sent already. */
async function claim(tx: Tx, { conversationId, attachmentIds }: NewTurn, position: number): Promise<boolean> {
  const wanted = sql`unnest(${sql.param(attachmentIds)}::text[]) with ordinality as wanted(id, place)`;
  const claimed = await tx
    .update(attachments)
    .set({ turnPosition: position, place: sql`wanted.place` })
    .from(wanted)
    .where(
      and(
        eq(attachments.id, sql`wanted.id`),
        eq(attachments.conversationId, conversationId),
        sql`${attachments.turnPosition} is null and ${attachments.isStored} and not ${attachments.isLeaving}`,
      ),
    )
    .returning({ id: attachments.id });
  return claimed.length === attachmentIds.length;
}
