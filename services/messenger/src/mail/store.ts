import type { Db, Tx } from '@switchboard/database';
import { and, eq, sql } from 'drizzle-orm';
import type { ContactReads } from '../conversations/staff.ts';
import { conversationMail, conversations, supportSettings, turns } from '../schema/index.ts';
import type { MailStage } from '../schema/mail.ts';
import { mailMinutes } from '../schema/schedule-mail.ts';

/** A step of a mail that is due. */
export interface DueMail {
  conversationId: string;
  stage: MailStage;
  attempts: number;
}

/** A conversation with a mail address. */
export interface MailedConversation {
  id: string;
  projectId: string;
  subject: string | null;
  turnCount: number;
  turnBytes: number;
  email: string;
  language: string;
  messageIds: string[];
  mailedPosition: number;
  visitorReadAt: Date | null;
  /** Whether mails are sent to the address and the project still mails replies. */
  isWanted: boolean;
}

interface Sent {
  conversationId: string;
  position: number;
  messageId: string;
  at: Date;
}

export interface MailStore extends ContactReads {
  /**
   * Takes the mail that has been due for longest, and moves it on: from waiting to asked, then to sending. It is due
   * again after `askMs` or `leaseMs`.
   */
  takeDue(now: Date, wait: { askMs: number; leaseMs: number }): Promise<DueMail | undefined>;
  /** Asks every instance whether the visitor is connected. They hear it on DUE_CHANNEL. */
  ask(conversationId: string): Promise<void>;
  /** Postpones a mail that was asked about. */
  postpone(conversationId: string, dueAt: Date): Promise<void>;
  retryAt(conversationId: string, dueAt: Date): Promise<void>;
  find(conversationId: string): Promise<MailedConversation | undefined>;
  /** Ends a mail, and schedules the next one if replies came after `position`. */
  settle(conversationId: string, position: number): Promise<void>;
  /** Records a mail that was sent. */
  recordSent(sent: Sent): Promise<void>;
  /** Records a mail of the visitor: its Message-ID, and that the address works. */
  recordAnswer(conversationId: string, messageId: string | null): Promise<void>;
  /** Ends mails to the address because one of them failed. Returns the project; undefined if there is no address. */
  recordBounce(conversationId: string, reason: string, at: Date): Promise<string | undefined>;
  /** Ends mails to the address. Returns the project; undefined if there is no address. */
  unsubscribe(conversationId: string, at: Date): Promise<string | undefined>;
  languageOf(conversationId: string): Promise<string | undefined>;
  /** Returns the project of the address with this secret part. */
  projectOfKey(key: string): Promise<string | undefined>;
  /** Returns a conversation that mail may answer. */
  conversation(conversationId: string): Promise<{ projectId: string; email: string | null } | undefined>;
  /** Returns the number of mails that wait. */
  waiting(): Promise<number>;
}

/** The NOTIFY channel of mails that are about to be sent. The payload is the conversation's id. */
export const DUE_CHANNEL = 'conversation_mail_due';

/** The Message-IDs that a thread keeps. Mail programs need the first and the last ones. */
const MAX_THREAD = 10;

export function createMailStore(db: Db | Tx): MailStore {
  const ofConversation = (id: string) => eq(conversationMail.conversationId, id);
  const projectOf = (id: string) =>
    sql<string>`(select ${conversations.projectId} from ${conversations} where ${conversations.id} = ${id})`;
  const threadWith = (messageId: string) => sql`case
    when ${messageId}::text = any(${conversationMail.messageIds}) then ${conversationMail.messageIds}
    when cardinality(${conversationMail.messageIds}) < ${MAX_THREAD}
      then ${conversationMail.messageIds} || ${messageId}::text
    else ${conversationMail.messageIds}[1:1] || ${conversationMail.messageIds}[3:] || ${messageId}::text end`;

  return {
    async contact(conversationId) {
      const [row] = await db
        .select({
          email: conversationMail.email,
          name: conversationMail.name,
          source: conversationMail.source,
          mailedAt: conversationMail.mailedAt,
          unsubscribedAt: conversationMail.unsubscribedAt,
          bouncedAt: conversationMail.bouncedAt,
          bounce: conversationMail.bounce,
        })
        .from(conversationMail)
        .where(ofConversation(conversationId));
      return row;
    },

    async takeDue(now, { askMs, leaseMs }) {
      const due = db
        .select({ id: conversationMail.conversationId })
        .from(conversationMail)
        .where(sql`${conversationMail.dueAt} <= ${now.toISOString()}::timestamptz`)
        .orderBy(conversationMail.dueAt)
        .limit(1)
        .for('update', { skipLocked: true });
      const after = (ms: number) => new Date(now.getTime() + ms).toISOString();
      const isWaiting = sql`${conversationMail.stage} = 'waiting'`;
      const [row] = await db
        .update(conversationMail)
        .set({
          stage: sql`case when ${isWaiting} then 'asked' else 'sending' end`,
          dueAt: sql`case when ${isWaiting} then ${after(askMs)}::timestamptz else ${after(leaseMs)}::timestamptz end`,
          attempts: sql`${conversationMail.attempts} + case when ${isWaiting} then 0 else 1 end`,
        })
        .where(sql`${conversationMail.conversationId} = (${due})`)
        .returning({
          conversationId: conversationMail.conversationId,
          stage: conversationMail.stage,
          attempts: conversationMail.attempts,
        });
      return row;
    },

    async ask(conversationId) {
      await db.execute(sql`select pg_notify(${DUE_CHANNEL}, ${conversationId})`);
    },

    async postpone(conversationId, dueAt) {
      await db
        .update(conversationMail)
        .set({ stage: 'waiting', dueAt })
        .where(and(ofConversation(conversationId), eq(conversationMail.stage, 'asked')));
    },

    async retryAt(conversationId, dueAt) {
      await db
        .update(conversationMail)
        .set({ dueAt })
        .where(and(ofConversation(conversationId), eq(conversationMail.stage, 'sending')));
    },

    async find(conversationId) {
      const [row] = await db
        .select({
          id: conversations.id,
          projectId: conversations.projectId,
          subject: conversations.subject,
          turnCount: conversations.turnCount,
          turnBytes: conversations.turnBytes,
          email: conversationMail.email,
          language: conversationMail.language,
          messageIds: conversationMail.messageIds,
          mailedPosition: conversationMail.mailedPosition,
          visitorReadAt: conversations.visitorReadAt,
          isWanted: sql<boolean>`${conversationMail.unsubscribedAt} is null and ${conversationMail.bouncedAt} is null
            and ${mailMinutes(sql`${conversations.projectId}`)} is not null`,
        })
        .from(conversationMail)
        .innerJoin(conversations, eq(conversations.id, conversationMail.conversationId))
        .where(ofConversation(conversationId));
      return row;
    },

    async settle(conversationId, position) {
      await db
        .update(conversationMail)
        .set({ ...nextMail(position), mailedPosition: position })
        .where(ofConversation(conversationId));
    },

    async recordSent({ conversationId, position, messageId, at }) {
      await db
        .update(conversationMail)
        .set({
          ...nextMail(position),
          mailedPosition: position,
          mailedAt: at,
          messageIds: threadWith(messageId),
        })
        .where(ofConversation(conversationId));
    },

    async recordAnswer(conversationId, messageId) {
      await db
        .update(conversationMail)
        .set({
          bounce: null,
          bouncedAt: null,
          ...(messageId !== null && { messageIds: threadWith(messageId) }),
        })
        .where(ofConversation(conversationId));
    },

    async recordBounce(conversationId, bounce, bouncedAt) {
      const [row] = await db
        .update(conversationMail)
        .set({ bounce, bouncedAt, dueAt: null })
        .where(ofConversation(conversationId))
        .returning({ projectId: projectOf(conversationId) });
      return row?.projectId;
    },

    async unsubscribe(conversationId, at) {
      const [row] = await db
        .update(conversationMail)
        .set({
          unsubscribedAt: sql`coalesce(${conversationMail.unsubscribedAt}, ${at.toISOString()}::timestamptz)`,
          dueAt: null,
        })
        .where(ofConversation(conversationId))
        .returning({ projectId: projectOf(conversationId) });
      return row?.projectId;
    },

    async languageOf(conversationId) {
      const [row] = await db
        .select({ language: conversationMail.language })
        .from(conversationMail)
        .where(ofConversation(conversationId));
      return row?.language;
    },

    async projectOfKey(key) {
      const [row] = await db
        .select({ projectId: supportSettings.projectId })
        .from(supportSettings)
        .where(eq(supportSettings.mailKey, key));
      return row?.projectId;
    },

    async conversation(conversationId) {
      const [row] = await db
        .select({ projectId: conversations.projectId, email: conversationMail.email })
        .from(conversations)
        .leftJoin(conversationMail, eq(conversationMail.conversationId, conversations.id))
        .where(eq(conversations.id, conversationId));
      return row;
    },

    async waiting() {
      return db.$count(conversationMail, sql`${conversationMail.dueAt} is not null`);
    },
  };
}

/** Returns the values of a mail that has ended: the next one, if a teammate has replied after the position. */
function nextMail(position: number) {
  const isFailed = sql`${conversationMail.unsubscribedAt} is not null or ${conversationMail.bouncedAt} is not null`;
  const replied = sql`(select min(${turns.createdAt}) from ${turns}
    where ${turns.conversationId} = ${conversationMail.conversationId}
      and ${turns.position} > ${position} and ${turns.authorKind} = 'teammate')`;
  const projectId = sql`(select ${conversations.projectId} from ${conversations}
    where ${conversations.id} = ${conversationMail.conversationId})`;
  return {
    dueAt: sql`case when ${isFailed} then null
      else ${replied} + make_interval(mins => ${mailMinutes(projectId)}::int) end`,
    stage: 'waiting' as const,
    attempts: 0,
  };
}
