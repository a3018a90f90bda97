import {
  type AuthorKind,
  type ConversationPriority,
  type ConversationStatus,
  type ImportedConversation,
  type ImportedFrom,
  SUPPORT_LIMITS,
} from '@switchboard/contracts';
import { type Transactor, type Tx, tryTransaction } from '@switchboard/database';
import { and, eq, inArray, sql } from 'drizzle-orm';
import { CAPACITY, turnBytes } from '../conversations/turns/size.ts';
import { claimAttachments, NO_TOKEN } from '../schema/conversations.ts';
import {
  conversationHistory,
  conversationMail,
  conversationNotes,
  conversations,
  turns,
} from '../schema/index.ts';
import { turnWords } from '../schema/words.ts';

interface NewText {
  id: string;
  externalId: string;
  authorName: string | null;
  body: string;
  createdAt: Date;
}

interface NewTurn extends NewText {
  authorKind: AuthorKind;
  /** null: the files are not uploaded yet. */
  attachmentIds: readonly string[] | null;
}

/** A conversation of another product, with turns in their order. */
export interface NewImport {
  /** The same for each import of the conversation. */
  id: string;
  distinctId: string;
  email: string | null;
  subject: string | null;
  status: ConversationStatus;
  /** Null: not snoozed, or no longer. */
  snooze: { until: string | null } | null;
  priority: ConversationPriority;
  labelIds: readonly string[];
  createdAt: Date;
  lastTurnAt: Date;
  turns: readonly NewTurn[];
  notes: readonly NewText[];
}

interface Batch {
  projectId: string;
  source: ImportedFrom;
  conversations: readonly NewImport[];
  now: Date;
  searchConfiguration: string;
  mailLanguage: string;
  /** Whether the results are returned without storing anything. */
  isRehearsal: boolean;
}

type Result = Omit<ImportedConversation, 'externalId'>;

export interface ImportsStore {
  /**
   * Adds conversations, or what they have gained since an earlier import, all or nothing. Returns the results in the
   * order of the conversations. Announces nothing.
   */
  add(batch: Batch, within: Transactor): Promise<Result[] | 'attachment refused'>;
}

export function createImportsStore(): ImportsStore {
  return {
    add: (batch, within) =>
      tryTransaction<Result[] | 'attachment refused'>(within, async (tx, undo) => {
        const results = new Map<NewImport, Result>();
        // In one order, so that concurrent imports do not wait for each other.
        const ordered = batch.conversations.toSorted((a, b) => (a.id < b.id ? -1 : 1));
        for (const conversation of ordered) {
          const result = await addConversation(tx, batch, conversation);
          results.set(conversation, result ?? undo('attachment refused'));
        }
        const inOrder = batch.conversations.flatMap((one) => results.get(one) ?? []);
        return batch.isRehearsal ? undo(inOrder) : inOrder;
      }),
  };
}

/** Returns undefined if an attachment is refused. */
async function addConversation(tx: Tx, batch: Batch, given: NewImport): Promise<Result | undefined> {
  const { projectId, source, now, mailLanguage: language } = batch;
  const inserted = await tx
    .insert(conversations)
    .values({
      ...{ id: given.id, projectId, distinctId: given.distinctId, subject: given.subject },
      ...{ status: given.status, priority: given.priority, labelIds: [...given.labelIds] },
      ...snoozeOf(given),
      ...{ createdAt: given.createdAt, lastTurnAt: given.lastTurnAt },
      ...{ userVerified: false, tokenHash: NO_TOKEN, tokenExpiresAt: given.createdAt },
      resolvedAt: given.status === 'resolved' ? given.lastTurnAt : null,
      // The time that it takes to resolve it here begins with the import.
      reopenedAt: now,
      ...{ importedFrom: source, importedTurns: 0 },
    })
    .onConflictDoNothing()
    .returning({ id: conversations.id });
  const [row] = await tx
    .select({
      id: conversations.id,
      status: conversations.status,
      priority: conversations.priority,
      labelIds: conversations.labelIds,
      isSnoozed: conversations.isSnoozed,
      snoozedUntil: conversations.snoozedUntil,
      turnCount: conversations.turnCount,
      turnBytes: conversations.turnBytes,
      importedTurns: conversations.importedTurns,
    })
    .from(conversations)
    .where(and(eq(conversations.projectId, projectId), eq(conversations.id, given.id)))
    .for('update');
  if (row === undefined) throw new Error('an imported conversation is gone in its own transaction');
  if (inserted.length > 0 && given.email !== null)
    await tx
      .insert(conversationMail)
      .values({ conversationId: row.id, email: given.email, name: null, source: 'opening', language });
  const added = await addTurns(tx, batch, given, row);
  if (added === undefined) return undefined;
  const notes = await addNotes(tx, given, row.id);
  const isUntouched = row.turnCount === row.importedTurns && !(await isChanged(tx, row.id));
  const { isSnoozed, snoozedUntil } = snoozeOf(given);
  const isSame =
    row.status === given.status &&
    row.priority === given.priority &&
    row.isSnoozed === isSnoozed &&
    row.snoozedUntil?.getTime() === snoozedUntil?.getTime() &&
    [...row.labelIds].sort().join('\n') === [...given.labelIds].sort().join('\n');
  if (added.rows.length > 0 || (isUntouched && !isSame)) {
    const turnCount = row.turnCount + added.rows.length;
    const firstReply = added.rows.find(({ authorKind }) => authorKind === 'teammate')?.createdAt;
    await tx
      .update(conversations)
      .set({
        turnCount,
        turnBytes: row.turnBytes + added.bytes,
        lastTurnAt: sql`greatest(${conversations.lastTurnAt}, ${given.lastTurnAt.toISOString()}::timestamptz)`,
        ...(firstReply && {
          firstReplyAt: sql`coalesce(${conversations.firstReplyAt}, ${firstReply.toISOString()}::timestamptz)`,
        }),
        ...(row.turnCount === row.importedTurns && { importedTurns: turnCount }),
        ...(isUntouched && {
          ...{ status: given.status, priority: given.priority, labelIds: [...given.labelIds] },
          ...{ isSnoozed, snoozedUntil },
          resolvedAt: given.status === 'resolved' ? given.lastTurnAt : null,
        }),
      })
      .where(eq(conversations.id, row.id));
    // The other product delivered these turns.
    if (row.turnCount === row.importedTurns)
      await tx
        .update(conversationMail)
        .set({ mailedPosition: turnCount })
        .where(eq(conversationMail.conversationId, row.id));
  }
  return {
    conversationId: row.id,
    outcome: inserted.length > 0 ? 'new' : 'known',
    turns: added.rows.length,
    notes: notes.added,
    full: added.full + notes.full,
    waitingFor: added.waitingFor,
  };
}

const snoozeOf = ({ snooze }: NewImport) => ({
  isSnoozed: snooze !== null,
  snoozedUntil: snooze?.until == null ? null : new Date(snooze.until),
});

/** Returns whether a member has changed the conversation here. */
async function isChanged(tx: Tx, conversationId: string): Promise<boolean> {
  const rows = await tx
    .select({ id: conversationHistory.id })
    .from(conversationHistory)
    .where(eq(conversationHistory.conversationId, conversationId))
    .limit(1);
  return rows.length > 0;
}

/** Begins with a word and a line break, so that no request with a key of its own has it. */
const keyOf = ({ externalId }: NewText) => `import\n${externalId}`;

/** Adds the turns that are not stored yet, up to the first one that waits. Undefined: an attachment is refused. */
async function addTurns(
  tx: Tx,
  { projectId, searchConfiguration: configuration }: Batch,
  given: NewImport,
  row: { id: string; turnCount: number; turnBytes: number },
) {
  const missing = await missingIn(given.turns, async (keys) => {
    const found = await tx
      .select({ key: turns.idempotencyKey })
      .from(turns)
      .where(and(eq(turns.conversationId, row.id), inArray(turns.idempotencyKey, keys)));
    return found.map(({ key }) => key);
  });
  const first = missing.findIndex(({ attachmentIds }) => attachmentIds === null);
  const waitingFor = missing.flatMap((turn) => (turn.attachmentIds === null ? turn.externalId : []));
  const ready = first < 0 ? missing : missing.slice(0, first);
  const result = { rows: [] as NewTurn[], bytes: 0, full: 0, waitingFor };
  for (const turn of ready) {
    const attachmentIds = turn.attachmentIds ?? [];
    const position = row.turnCount + result.rows.length + 1;
    const bytes = turnBytes({ body: turn.body, pageContext: null, attachmentIds });
    if (position > CAPACITY.turns || row.turnBytes + result.bytes + bytes > CAPACITY.bytes) {
      result.full = ready.length - result.rows.length;
      break;
    }
    if (!(await claimAttachments(tx, { conversationId: row.id, attachmentIds }, position))) return undefined;
    result.bytes += bytes;
    result.rows.push(turn);
  }
  if (result.rows.length > 0)
    await tx.insert(turns).values(
      result.rows.map((turn, index) => {
        const position = row.turnCount + index + 1;
        // A subject is found like the first turn.
        const text = position === 1 && given.subject !== null ? `${given.subject}\n${turn.body}` : turn.body;
        return {
          ...{ conversationId: row.id, position, id: turn.id, idempotencyKey: keyOf(turn) },
          ...{ authorKind: turn.authorKind, authorName: turn.authorName, body: turn.body },
          createdAt: turn.createdAt,
          words: turnWords({ projectId, configuration, text }, turn.createdAt),
        };
      }),
    );
  return result;
}

async function addNotes(tx: Tx, given: NewImport, conversationId: string) {
  if (given.notes.length === 0) return { added: 0, full: 0 };
  const others = await tx
    .select({ key: conversationNotes.idempotencyKey })
    .from(conversationNotes)
    .where(eq(conversationNotes.conversationId, conversationId));
  const missing = await missingIn(given.notes, async () => others.map(({ key }) => key));
  const added = missing.slice(0, Math.max(0, SUPPORT_LIMITS.notes - others.length));
  if (added.length > 0)
    await tx.insert(conversationNotes).values(
      added.map((note) => ({
        ...{ conversationId, id: note.id, authorName: note.authorName, body: note.body },
        ...{ mentions: [], idempotencyKey: keyOf(note), createdAt: note.createdAt },
      })),
    );
  return { added: added.length, full: missing.length - added.length };
}

/** Returns the first text of each external id that is not stored yet. */
async function missingIn<T extends NewText>(
  texts: readonly T[],
  find: (keys: string[]) => Promise<(string | null)[]>,
): Promise<T[]> {
  const byKey = new Map<string, T>();
  for (const one of texts) if (!byKey.has(keyOf(one))) byKey.set(keyOf(one), one);
  const stored = byKey.size === 0 ? [] : await find([...byKey.keys()]);
  for (const key of stored) byKey.delete(key ?? '');
  return [...byKey.values()];
}
