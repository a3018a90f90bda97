import {
  type Conversation,
  type ConversationRequest,
  type OpenedConversation,
  type OwnConversation,
  type OwnConversationsRequest,
  type Turn,
  type TurnRequest,
  VISITOR_CONVERSATIONS,
} from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import {
  BadRequest,
  Conflict,
  type ProjectAccess,
  type Quota,
  type RateLimit,
  Unauthorized,
} from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { type Identity, unverified } from '../identity/identity.ts';
import { mailLanguage } from '../mail-texts/languages.ts';
import type { Publisher } from '../publishing/publisher.ts';
import type { SearchConfigurationOf } from './languages.ts';
import { presentConversation, presentTurn } from './present.ts';
import type { ConversationState } from './rows.ts';
import type { ConversationsStore, NewConversation } from './store.ts';
import type { ConversationTokens } from './tokens/tokens.ts';
import type { ReadTurns } from './turns/reading.ts';
import { CAPACITY } from './turns/size.ts';
import type { TurnsStore } from './turns/store.ts';

export interface ConversationLimits {
  /** Limits per address and per project. */
  opens: RateLimit<[string, string]>;
  /** Limits per address and per project. */
  ownLists: RateLimit<[string, string]>;
  /** Limits per conversation, per address and per project. */
  turns: RateLimit<[string, string, string]>;
  /** Limits per conversation, per address and per project. */
  reads: RateLimit<[string, string, string]>;
}

interface ConversationsOptions {
  store: Pick<ConversationsStore, 'add' | 'countUnresolved'>;
  turns: Pick<TurnsStore, 'append' | 'positionOf'>;
  readTurns: ReadTurns;
  tokens: ConversationTokens;
  identity: Pick<Identity, 'verify'>;
  limits: ConversationLimits;
  /** Limits the bytes that visitors read, per address in a project and per project. */
  quota: Quota;
  publisher: Publisher;
  directory: Pick<Directory, 'project'>;
  searchConfigurationOf: SearchConfigurationOf;
  clock: Clock;
}

/** A visitor's access to a conversation. */
interface ConversationAccess {
  project: ProjectAccess;
  conversationId: string;
  address: string;
}

export type Conversations = ReturnType<typeof createConversations>;

/** Handles a visitor's actions in a conversation. */
export function createConversations(options: ConversationsOptions) {
  const { store, turns, readTurns, tokens, identity, limits, quota, publisher, directory, clock } = options;
  const { searchConfigurationOf } = options;

  return {
    async open(
      project: ProjectAccess,
      address: string,
      request: ConversationRequest,
      acceptLanguage: string | undefined,
    ): Promise<OpenedConversation> {
      await limits.opens.consume(`${project.id}:${address}`, project.id);
      const userId = request.userId ?? null;
      const userVerified =
        userId !== null && (await identity.verify(project.id, userId, request.userHash ?? null));
      if (userVerified && (await store.countUnresolved(project.id, userId)) >= VISITOR_CONVERSATIONS)
        throw tooMany();
      const { token, hash, expiresInSeconds, expiresAt } = tokens.issue();
      const id = newId('cnv');
      const now = clock.now();
      const { email } = request;
      const conversation: NewConversation = {
        id,
        projectId: project.id,
        distinctId: request.distinctId,
        subject: request.subject ?? null,
        status: 'open',
        userId,
        userVerified,
        tokenHash: hash,
        tokenExpiresAt: expiresAt,
        createdAt: now,
        lastTurnAt: now,
      };
      if (email == null) await store.add(conversation);
      else {
        const { defaultLanguage = '' } = (await directory.project(project.id)) ?? {};
        const language = mailLanguage(acceptLanguage ?? defaultLanguage);
        await store.add(conversation, { email, name: null, source: 'opening', language });
      }
      return { conversationId: id, token, expiresInSeconds };
    },

    /** Lists the conversations of a verified user with new tokens. Throws Forbidden without a right hash. */
    async listOwn(
      project: ProjectAccess,
      address: string,
      { userId, userHash }: OwnConversationsRequest,
    ): Promise<OwnConversation[]> {
      await limits.ownLists.consume(`${project.id}:${address}`, project.id);
      if (!(await identity.verify(project.id, userId, userHash))) throw unverified();
      const issued = await tokens.issueOwn(project.id, userId);
      return issued.map(({ conversation, token, expiresInSeconds }) => ({
        conversationId: conversation.id,
        token,
        expiresInSeconds,
        subject: conversation.subject,
        status: conversation.status,
        lastTurnAt: conversation.lastTurnAt.toISOString(),
        createdAt: conversation.createdAt.toISOString(),
      }));
    },

    async sendTurn(
      { project, conversationId, address }: ConversationAccess,
      { body, pageContext, attachmentIds = [] }: TurnRequest,
      idempotencyKey: string | undefined,
    ): Promise<Turn> {
      await limits.turns.consume(conversationId, `${project.id}:${address}`, project.id);
      const appended = await turns.append({
        id: newId('trn'),
        projectId: project.id,
        conversationId,
        author: { kind: 'visitor' },
        body,
        pageContext: pageContext ?? null,
        idempotencyKey: idempotencyKey ?? null,
        attachmentIds,
        createdAt: clock.now(),
        status: 'open',
        searchConfiguration: await searchConfigurationOf(project.id),
        tokenRenewal: tokens.renewal(),
      });
      if (appended.outcome === 'no conversation') throw deleted();
      if (appended.outcome === 'attachment refused') {
        throw refusedAttachment();
      }
      if (appended.outcome === 'full') throw full();
      const turn = presentTurn(conversationId, appended.turn);
      if (appended.outcome === 'appended') {
        publisher.publishTurn(project.id, conversationId, turn);
        if (appended.statusBefore !== 'open') publisher.publishStatus(conversationId, 'open');
      }
      return turn;
    },

    /**
     * Reads a conversation. With `after`, the id of a turn, it has only the turns after that one. `conversation()`
     * reads the turns, because most readers already have this version of the conversation.
     */
    async read(
      { project, address }: Pick<ConversationAccess, 'project' | 'address'>,
      row: ConversationState,
      after: string | undefined,
    ): Promise<{ version: string; conversation(): Promise<Conversation> }> {
      const conversationId = row.id;
      await limits.reads.consume(conversationId, `${project.id}:${address}`, project.id);
      const position = await positionAfter(turns, conversationId, after);
      await tokens.renew(row);
      const { turnCount, turnBytes, status, lastTurnAt, teamVersion, visitorReadAt, teammateReadAt } = row;
      const read = [visitorReadAt, teammateReadAt];
      return {
        version: JSON.stringify([position, turnCount, status, lastTurnAt, teamVersion, read]),
        async conversation() {
          // Charged before the turns are read, because concurrent requests must not all pass.
          const bytes = (turnBytes * (turnCount - (position ?? 0))) / Math.max(1, turnCount);
          const holders = { address: `${project.id}:${address}`, project: project.id };
          for (const by of ['address', 'project'] as const) {
            quota.check(by, holders[by]);
            quota.charge(by, holders[by], bytes);
          }
          return presentConversation(row, await readTurns(project.id, row, position));
        },
      };
    },
  };
}

export async function positionAfter(
  turns: Pick<TurnsStore, 'positionOf'>,
  conversationId: string,
  turnId: string | undefined,
): Promise<number | undefined> {
  if (turnId === undefined) return undefined;
  const position = await turns.positionOf(conversationId, turnId);
  if (position === undefined) throw new BadRequest('after: not the id of a turn of this conversation');
  return position;
}

export const refusedAttachment = () =>
  new Conflict('attachmentIds: names an attachment that is not in this conversation or was already sent');

export const full = () =>
  new Conflict(
    `The conversation is full: it holds at most ${CAPACITY.turns} turns and ${CAPACITY.bytes} bytes of text. Open a new one.`,
  );

const tooMany = () =>
  new Conflict(
    `The user has ${VISITOR_CONVERSATIONS} conversations that are not resolved. Write in one of them.`,
  );

/** The error for a conversation that was deleted after its token was checked. */
const deleted = () => new Unauthorized('The conversation no longer exists.');
