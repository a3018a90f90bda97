import { buffer } from 'node:stream/consumers';
import type { Database, Listening } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import { type Mailer, messageIdOf, Undeliverable } from '@switchboard/mail';
import type { ObjectStore } from '@switchboard/object-store';
import type { Hub } from '@switchboard/realtime';
import { createPolling, doAll } from '@switchboard/resilience';
import type { Clock, Logger } from '@switchboard/runtime';
import type { AttachmentsStore } from '../attachments/store.ts';
import type { TurnRow } from '../conversations/rows.ts';
import type { ReadTurns } from '../conversations/turns/reading.ts';
import { conversationTopic, type Publisher } from '../publishing/publisher.ts';
import type { MailAddresses } from './addresses.ts';
import { composeReplies } from './compose.ts';
import { DUE_CHANNEL, type DueMail, type MailedConversation, type MailStore } from './store.ts';

interface SendingOptions {
  store: MailStore;
  files: Pick<AttachmentsStore, 'find'>;
  storage: ObjectStore | undefined;
  readTurns: ReadTurns;
  directory: Pick<Directory, 'project'>;
  hub: Pick<Hub, 'here'>;
  database: Pick<Database, 'listen'>;
  publisher: Pick<Publisher, 'publishToAgents'>;
  mailer: Mailer;
  addresses: MailAddresses;
  /** The address of the sender. */
  from: string;
  /** Returns the address of a link that ends mails. */
  unsubscribeUrl(token: string): string;
  onSettled(state: 'sent' | 'read' | 'failed'): void;
  clock: Clock;
  logger: Logger;
}

const EVERY_MS = 1_000;
/** How long the instances may take to say that the visitor is connected. */
const ASK_MS = 3_000;
/** Longer than a mail server may take. Then another instance sends the mail again, with the same Message-ID. */
const LEASE_MS = 120_000;
/** A connected visitor is asked about again after this time. */
const CONNECTED_MS = 60_000;
const FIRST_RETRY_MS = 15_000;
const MAX_RETRY_MS = 900_000;
/** About a day. */
const MAX_ATTEMPTS = 100;
const MAX_TURNS = 50;
const MAX_FILE_BYTES = 5_000_000;

/**
 * Mails replies that visitors have not read. Each mail has the replies since the last one. A mail waits while the
 * visitor is connected, and is not sent if the visitor has read or answered the replies.
 */
export function createSending(options: SendingOptions) {
  const { store, hub, database, mailer, publisher, onSettled, clock, logger } = options;
  let listening: Listening | undefined;
  const later = (ms: number) => new Date(clock.now().getTime() + ms);

  async function step(due: DueMail): Promise<void> {
    const { conversationId, stage } = due;
    if (stage === 'asked') return store.ask(conversationId);
    const conversation = await store.find(conversationId);
    if (conversation === undefined) return;
    const unread = conversation.isWanted ? await unreadIn(conversation) : [];
    if (unread.length === 0) {
      await store.settle(conversationId, conversation.turnCount);
      return onSettled('read');
    }
    try {
      await send(conversation, unread);
    } catch (error) {
      await fail(conversation, due, error);
    }
  }

  /** Returns the replies that the visitor has neither read nor answered nor got by mail. */
  async function unreadIn(conversation: MailedConversation): Promise<TurnRow[]> {
    const { projectId, mailedPosition, visitorReadAt } = conversation;
    const turns = await options.readTurns(projectId, conversation, mailedPosition);
    const answered = turns.findLastIndex(({ authorKind }) => authorKind === 'visitor');
    return turns
      .slice(answered + 1)
      .filter(
        ({ authorKind, createdAt }) =>
          authorKind === 'teammate' && (visitorReadAt === null || createdAt > visitorReadAt),
      )
      .slice(-MAX_TURNS);
  }

  async function send(conversation: MailedConversation, unread: readonly TurnRow[]): Promise<void> {
    const { id, projectId, email, messageIds, subject, language } = conversation;
    const { addresses, from, unsubscribeUrl } = options;
    const { name: project = '' } = (await options.directory.project(projectId)) ?? {};
    const position = Math.max(...unread.map((turn) => turn.position));
    const unsubscribe = unsubscribeUrl(addresses.unsubscribeToken(id));
    const { attachments, missing } = await filesOf(id, unread);
    const isAnswer = messageIds.length > 0;
    const mailId = `${id}.${position}`;
    await mailer.send({
      ...composeReplies({ project, subject, language, isAnswer, turns: unread, missing, unsubscribe }),
      id: mailId,
      to: email,
      replyTo: addresses.forReplies(id),
      bounceTo: addresses.forBounces(id),
      thread: messageIds,
      unsubscribe,
      attachments,
    });
    const messageId = messageIdOf(mailId, from);
    await store.recordSent({ conversationId: id, position, messageId, at: clock.now() });
    publisher.publishToAgents(projectId, { kind: 'changed', conversationId: id });
    onSettled('sent');
  }

  async function filesOf(conversationId: string, turns: readonly TurnRow[]) {
    const attachments: { filename: string; contentType: string; content: Buffer }[] = [];
    const missing: string[] = [];
    let bytes = 0;
    for (const file of turns.flatMap((turn) => turn.attachments)) {
      const stored = await options.files.find(conversationId, file.id);
      const fits = bytes + file.bytes <= MAX_FILE_BYTES;
      const found = stored && fits ? await options.storage?.get(stored.objectKey) : undefined;
      if (found === undefined) missing.push(file.name);
      else {
        bytes += file.bytes;
        const content = await buffer(found.body);
        attachments.push({ filename: file.name, contentType: file.contentType, content });
      }
    }
    return { attachments, missing };
  }

  async function fail(conversation: MailedConversation, { attempts }: DueMail, error: unknown) {
    const { id, projectId } = conversation;
    const isLast = error instanceof Undeliverable || attempts >= MAX_ATTEMPTS;
    logger.failed('send mail of a conversation', error, { conversation: id, isLast });
    if (!isLast) {
      const wait = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts, 10));
      return store.retryAt(id, later(wait));
    }
    const reason = error instanceof Undeliverable ? error.message : 'the mail server was not available';
    await store.recordBounce(id, reason, clock.now());
    publisher.publishToAgents(projectId, { kind: 'changed', conversationId: id });
    onSettled('failed');
  }

  /** Postpones a mail if its visitor is connected to this instance. */
  function answer(conversationId: string): void {
    const [socket] = hub.here(conversationTopic(conversationId));
    if (socket === undefined) return;
    store
      .postpone(conversationId, later(CONNECTED_MS))
      .catch((error) => logger.failed('postpone mail of a conversation', error));
  }

  const takeDue = () => store.takeDue(clock.now(), { askMs: ASK_MS, leaseMs: LEASE_MS });
  const polling = createPolling((signal) => doAll(signal, takeDue, step), {
    everyMs: EVERY_MS,
    onFailure: (error) => logger.failed('send mails of conversations', error),
  });

  return {
    async start(): Promise<void> {
      listening ??= await database.listen(DUE_CHANNEL, answer, () => undefined);
      polling.start();
    },
    async stop(): Promise<void> {
      await polling.stop();
      await listening?.stop();
    },
  };
}
