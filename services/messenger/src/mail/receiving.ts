import { createHash } from 'node:crypto';
import { ATTACHMENT_MAX_BYTES, isGrantedByRole } from '@switchboard/contracts';
import { newId, type Transactor } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import { type RateLimit, RateLimited, Rejection } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { Attachments } from '../attachments/attachments.ts';
import type { SearchConfigurationOf } from '../conversations/languages.ts';
import { presentTurn } from '../conversations/present.ts';
import type { ConversationsStore } from '../conversations/store.ts';
import type { AppendResult, NewTurn, TurnsStore } from '../conversations/turns/store.ts';
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
    // Expected, so no stack trace: capturing one is a large part of the cost of a refusal.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.responseCode = responseCode;
  }
}

/** The conversation that a mail is for, or the project in which it opens one. */
export type MailTarget =
  | { kind: 'reply' | 'bounce'; projectId: string; conversationId: string; contact: string | null }
  | { kind: 'agent'; projectId: string; conversationId: string; sub: string }
  | { kind: 'project'; projectId: string };

export type MailOutcome = 'turn' | 'reply' | 'conversation' | 'bounce' | 'automatic' | 'loop' | 'empty';

/** The data of a message besides its content. */
export interface Envelope {
  /** Empty for reports of mail servers. */
  sender: string;
  /** SHA-256 of the message in hexadecimal. */
  digest: string;
}

interface ReceivingOptions {
  store: MailStore;
  conversations: Pick<ConversationsStore, 'add'>;
  turns: Pick<TurnsStore, 'append'>;
  attachments: Pick<Attachments, 'upload'>;
  directory: Pick<Directory, 'project' | 'member'>;
  publisher: Publisher;
  agents: {
    /** Returns the member of a number in an address. */
    agentOf(number: number): Promise<{ projectId: string; sub: string } | undefined>;
  };
  /** Returns transactions that also write the entry of an agent's turn to the audit trail. */
  audited(turn: NewTurn, companyId: string): Transactor;
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
/** The Message-IDs of mails to visitors and of digests to members. */
const OWN_MESSAGE_ID = /^<(cnv_[0-9a-f]{32}\.\d{1,9}|dig_[0-9a-f]{32})@/;

export type Receiving = ReturnType<typeof createReceiving>;

/**
 * Turns mail into turns and conversations. Nothing in a mail verifies who sent it: who knows an agent's address is that
 * agent.
 */
export function createReceiving(options: ReceivingOptions) {
  const { store, conversations, turns, attachments, directory, publisher, limits, clock } = options;

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

  /** Throws MailRefused unless the member may reply now. */
  async function requireAgent(
    { sub }: Extract<MailTarget, { kind: 'agent' }>,
    { companyId }: { companyId: string },
  ): Promise<void> {
    const member = await directory.member(companyId, sub);
    if (member === undefined || !isGrantedByRole(member.role, 'conversations.reply'))
      throw new MailRefused(550, '5.7.1 You may no longer reply to conversations of this project');
  }

  /** Sends a turn that was stored to the visitor and to agents. Throws MailRefused if it was not. */
  function publishAppended({ projectId, conversationId, status }: NewTurn, appended: AppendResult): void {
    requireAppended(appended);
    if (appended.outcome !== 'appended') return;
    publisher.publishTurn(projectId, conversationId, presentTurn(conversationId, appended.turn));
    if (appended.statusBefore !== status) publisher.publishStatus(conversationId, status);
  }

  /** Stores files by the rules of uploads. Returns the names of those that break one. */
  async function storeFiles(
    project: { id: string; companyId: string },
    conversationId: string,
    sender: { by: 'visitor' | 'teammate'; address: string },
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
          ...sender,
          project,
          conversationId,
          name,
          read,
        };
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
        mail.automatic === 'automatic' || (mail.automatic === 'list' && target.kind !== 'project');
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
      if (target.kind === 'agent') await requireAgent(target, project);
      if (target.kind !== 'project') await limit(() => limits.turns.consume(target.conversationId));
      const conversationId =
        target.kind === 'project'
          ? await openFor(projectId, project.defaultLanguage, from, mail, key)
          : target.conversationId;
      const { attachmentIds, leftOut } = await storeFiles(
        project,
        conversationId,
        target.kind === 'agent'
          ? { by: 'teammate', address: `sub:${target.sub}` }
          : { by: 'visitor', address: `mail:${from.address}` },
        mail.files,
      );
      if (body === '' && attachmentIds.length === 0 && folded === null && leftOut.length === 0)
        return 'empty';
      const shared = {
        id: newId('trn'),
        projectId,
        conversationId,
        body,
        pageContext: null,
        // No key of the API contains a line break.
        idempotencyKey: `mail\n${key}`,
        attachmentIds,
        createdAt: clock.now(),
        searchConfiguration: await options.searchConfigurationOf(projectId),
      };
      const sent = { name: from.name, address: from.address, folded, leftOut };
      if (target.kind === 'agent') {
        const { sub } = target;
        const turn: NewTurn = {
          ...shared,
          author: { kind: 'teammate', id: sub },
          mail: { ...sent, isContact: false },
          status: 'pending',
          isMailed: true,
        };
        const within = options.audited(turn, project.companyId);
        publishAppended(turn, await turns.append(turn, within));
        return 'reply';
      }
      const isContact = target.kind === 'project' || from.address === target.contact?.toLowerCase();
      const turn: NewTurn = {
        ...shared,
        author: { kind: 'visitor' },
        mail: { ...sent, isContact },
        status: 'open',
      };
      const appended = await turns.append(turn);
      requireAppended(appended);
      if (isContact) await store.recordAnswer(conversationId, messageId);
      publishAppended(turn, appended);
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
    if (kind === 'agent') {
      const agent = await options.agents.agentOf(recipient.number);
      return agent !== undefined && agent.projectId === found?.projectId
        ? { kind, conversationId, ...agent }
        : undefined;
    }
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

/** Throws MailRefused if the turn is not stored. */
function requireAppended({ outcome }: AppendResult): void {
  if (outcome === 'no conversation') throw unknownRecipient();
  if (outcome === 'full') throw new MailRefused(552, '5.2.2 The conversation is full');
  if (outcome === 'attachment refused') throw new MailRefused(451, '4.3.0 Try again later');
}

const unknownRecipient = () => new MailRefused(550, '5.1.1 No such recipient, or the address has expired');
