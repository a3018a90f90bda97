import { createHash } from 'node:crypto';
import { ATTACHMENT_MAX_BYTES } from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import { type RateLimit, RateLimited, Rejection } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { Attachments } from '../attachments/attachments.ts';
import type { SearchConfigurationOf } from '../conversations/languages.ts';
import { presentTurn } from '../conversations/present.ts';
import type { ConversationsStore } from '../conversations/store.ts';
import { mailLanguage } from '../mail-texts/languages.ts';
import type { Publisher } from '../publishing/publisher.ts';
import type { MailAddresses } from './addresses.ts';
import { fold } from './fold.ts';
import type { IncomingMail } from './parsing/parse.ts';
import type { MailStore } from './store.ts';

/** The mail is refused. The sender's mail server gets the code and the text. */
export class MailRefused extends Error {
  readonly responseCode: number;

  constructor(responseCode: number, message: string) {
    super(message);
    this.responseCode = responseCode;
  }
}

/** The conversation that a mail is for, or the project in which it opens one. */
export type MailTarget =
  | { kind: 'reply' | 'bounce'; projectId: string; conversationId: string; contact: string | null }
  | { kind: 'project'; projectId: string };

export type MailOutcome = 'turn' | 'conversation' | 'bounce' | 'automatic' | 'loop' | 'empty';

/** The data of a message besides its content. */
export interface Envelope {
  /** Empty for reports of mail servers. */
  sender: string;
  /** SHA-256 of the message in hexadecimal. */
  digest: string;
}

interface ReceivingOptions {
  store: MailStore;
  conversations: Pick<ConversationsStore, 'add' | 'appendTurn'>;
  attachments: Pick<Attachments, 'upload'>;
  directory: Pick<Directory, 'project'>;
  publisher: Publisher;
  addresses: Pick<MailAddresses, 'recipientOf'>;
  searchConfigurationOf: SearchConfigurationOf;
  limits: {
    /** Limits the mails of a conversation. */
    turns: RateLimit;
    /** Limits the conversations that a sender and a project open by mail. */
    opens: RateLimit<[string, string]>;
  };
  clock: Clock;
}

const MAX_BODY = 10_000;
const MAX_FOLDED = 20_000;
const MAX_FILES = 3;
const MAX_LEFT_OUT = 20;
/** The Message-IDs of mails to visitors. */
const OWN_MESSAGE_ID = /^<cnv_[0-9a-f]{32}\.\d{1,9}@/;

export type Receiving = ReturnType<typeof createReceiving>;

/** Turns mail into turns and conversations. Nothing in a mail verifies who sent it. */
export function createReceiving(options: ReceivingOptions) {
  const { store, conversations, attachments, directory, publisher, limits, clock } = options;

  async function receiveBounce(
    { projectId, conversationId }: Extract<MailTarget, { kind: 'reply' | 'bounce' }>,
    { report }: IncomingMail,
  ): Promise<MailOutcome> {
    if (report === undefined || !report.isFailure) return 'automatic';
    await store.recordBounce(conversationId, report.status ?? 'no status', clock.now());
    publisher.publishToAgents(projectId, { kind: 'changed', conversationId });
    return 'bounce';
  }

  /** Opens a conversation. The same mail always opens the same one, so that it can be sent again. */
  async function openFor(
    projectId: string,
    defaultLanguage: string,
    from: NonNullable<IncomingMail['from']>,
    { subject, language }: IncomingMail,
    key: string,
  ): Promise<string> {
    await limit(() => limits.opens.consume(`${projectId}:${from.address}`, projectId));
    const id = `cnv_${createHash('sha256')
      .update(JSON.stringify([projectId, key]))
      .digest('hex')
      .slice(0, 32)}`;
    const now = clock.now();
    await conversations.add(
      {
        id,
        projectId,
        distinctId: `mail:${from.address}`,
        subject,
        status: 'open',
        userId: null,
        userVerified: false,
        // No token has this hash.
        tokenHash: '',
        tokenExpiresAt: now,
        createdAt: now,
        lastTurnAt: now,
      },
      {
        email: from.address,
        name: from.name,
        source: 'mail',
        language: mailLanguage(language ?? defaultLanguage),
      },
    );
    return id;
  }

  /** Stores files by the rules of uploads. Returns the names of those that break one. */
  async function storeFiles(
    project: { id: string; companyId: string },
    conversationId: string,
    address: string,
    files: IncomingMail['files'],
  ) {
    const attachmentIds: string[] = [];
    const leftOut: string[] = [];
    for (const { name, bytes } of files) {
      if (attachmentIds.length === MAX_FILES || bytes.length > ATTACHMENT_MAX_BYTES) {
        leftOut.push(name);
        continue;
      }
      try {
        const read = () => Promise.resolve(bytes);
        const upload = {
          by: 'visitor',
          project,
          conversationId,
          address: `mail:${address}`,
          name,
          read,
        } as const;
        attachmentIds.push((await attachments.upload(upload)).id);
      } catch (error) {
        // The sender sends the mail again when the object store is back.
        if (!(error instanceof Rejection) || error.status >= 500) throw error;
        leftOut.push(name);
      }
    }
    return { attachmentIds, leftOut: leftOut.slice(0, MAX_LEFT_OUT) };
  }

  return {
    /** Returns what an address stands for. Throws MailRefused with 550 for an unknown one. */
    async targetOf(address: string): Promise<MailTarget> {
      const recipient = options.addresses.recipientOf(address);
      const target = recipient && (await find(recipient));
      if (target === undefined) throw unknownRecipient();
      return target;
    },

    /** Receives a mail for one recipient. Throws MailRefused. */
    async receive(
      target: MailTarget,
      mail: IncomingMail,
      { sender, digest }: Envelope,
    ): Promise<MailOutcome> {
      if (target.kind === 'bounce') return receiveBounce(target, mail);
      const { from, messageId } = mail;
      if (messageId !== null && OWN_MESSAGE_ID.test(messageId)) return 'loop';
      const isAutomatic =
        mail.automatic === 'automatic' || (mail.automatic === 'list' && target.kind === 'reply');
      if (isAutomatic || mail.report !== undefined || sender === '') return 'automatic';
      if (from === null)
        throw new MailRefused(550, '5.1.7 The From header has no address that can get an answer');
      const project = await directory.project(target.projectId);
      if (project === undefined) throw unknownRecipient();
      const projectId = project.id;

      const { body, folded } = textOf(mail);
      if (body === '' && mail.files.length === 0) return 'empty';
      const key = createHash('sha256')
        .update(messageId ?? digest)
        .digest('hex');
      if (target.kind === 'reply') await limit(() => limits.turns.consume(target.conversationId));
      const conversationId =
        target.kind === 'reply'
          ? target.conversationId
          : await openFor(projectId, project.defaultLanguage, from, mail, key);
      const { attachmentIds, leftOut } = await storeFiles(project, conversationId, from.address, mail.files);
      if (body === '' && attachmentIds.length === 0 && folded === null && leftOut.length === 0)
        return 'empty';
      const isContact = target.kind === 'project' || from.address === target.contact?.toLowerCase();
      const appended = await conversations.appendTurn({
        id: newId('trn'),
        projectId,
        conversationId,
        author: { kind: 'visitor' },
        body,
        pageContext: null,
        mail: { name: from.name, address: from.address, isContact, folded, leftOut },
        // No key of the API contains a line break.
        idempotencyKey: `mail\n${key}`,
        attachmentIds,
        createdAt: clock.now(),
        status: 'open',
        searchConfiguration: await options.searchConfigurationOf(projectId),
      });
      if (appended.outcome === 'no conversation') throw unknownRecipient();
      if (appended.outcome === 'full') throw new MailRefused(552, '5.2.2 The conversation is full');
      if (appended.outcome === 'attachment refused') throw new MailRefused(451, '4.3.0 Try again later');
      if (isContact) await store.recordAnswer(conversationId, messageId);
      if (appended.outcome === 'appended') {
        publisher.publishTurn(projectId, conversationId, presentTurn(conversationId, appended.turn));
        if (appended.statusBefore !== 'open') publisher.publishStatus(conversationId, 'open');
      }
      return target.kind === 'project' ? 'conversation' : 'turn';
    },
  };

  async function find(
    recipient: NonNullable<ReturnType<MailAddresses['recipientOf']>>,
  ): Promise<MailTarget | undefined> {
    if (recipient.kind === 'project') {
      const projectId = await store.projectOfKey(recipient.key);
      return projectId === undefined ? undefined : { kind: 'project', projectId };
    }
    const { kind, conversationId } = recipient;
    const found = await store.conversation(conversationId);
    return found && { kind, conversationId, projectId: found.projectId, contact: found.email };
  }
}

/** Returns the text of a turn. A text beyond the length of turns is folded. */
function textOf({ text, subject }: IncomingMail): { body: string; folded: string | null } {
  const { body, folded } = fold(text);
  // A mail with only a quote or a signature says something by it.
  const written = body === '' ? text.trim() : body;
  const shown = written === '' ? (subject ?? '') : written;
  const rest = [cut(shown, MAX_BODY, Number.POSITIVE_INFINITY), body === '' ? '' : (folded ?? '')].filter(
    Boolean,
  );
  return {
    body: cut(shown, 0, MAX_BODY).trim(),
    folded: rest.length === 0 ? null : cut(rest.join('\n\n'), 0, MAX_FOLDED),
  };
}

const cut = (text: string, from: number, to: number) => [...text].slice(from, to).join('');

async function limit(consume: () => Promise<void>): Promise<void> {
  try {
    await consume();
  } catch (error) {
    throw error instanceof RateLimited
      ? new MailRefused(450, '4.7.1 Too many messages, try again later')
      : error;
  }
}

const unknownRecipient = () => new MailRefused(550, '5.1.1 No such recipient, or the address has expired');
