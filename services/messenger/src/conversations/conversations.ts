import type {
  Conversation,
  ConversationRequest,
  OpenedConversation,
  Turn,
  TurnRequest,
} from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import {
  type Clock,
  Conflict,
  type ProjectAccess,
  type RateLimit,
  Unauthorized,
} from '@switchboard/service-kit';
import type { Identity } from '../identity/identity.ts';
import type { Live } from '../live/live.ts';
import { presentConversation, presentTurn } from './present.ts';
import type { ConversationsStore } from './store.ts';
import type { ConversationTokens } from './tokens.ts';

interface ConversationsOptions {
  store: ConversationsStore;
  tokens: ConversationTokens;
  identity: Pick<Identity, 'verify'>;
  limits: { opensPerAddress: RateLimit; opensPerProject: RateLimit; turns: RateLimit };
  live: Live;
  clock: Clock;
}

export type Conversations = ReturnType<typeof createConversations>;

/** What a visitor does in a conversation. */
export function createConversations(options: ConversationsOptions) {
  const { store, tokens, identity, limits, live, clock } = options;

  return {
    async open(
      project: ProjectAccess,
      address: string,
      request: ConversationRequest,
    ): Promise<OpenedConversation> {
      await limits.opensPerAddress.consume(`${project.id}:${address}`);
      await limits.opensPerProject.consume(project.id);
      const userId = request.userId ?? null;
      const userVerified =
        userId !== null && (await identity.verify(project.id, userId, request.userHash ?? null));
      const { token, hash, expiresInSeconds, expiresAt } = tokens.issue();
      const id = newId('cnv');
      const now = clock.now();
      await store.add({
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
      });
      return { conversationId: id, token, expiresInSeconds };
    },

    async sendTurn(
      project: ProjectAccess,
      conversationId: string,
      { body, pageContext, attachmentIds = [] }: TurnRequest,
      idempotencyKey: string | undefined,
    ): Promise<Turn> {
      await limits.turns.consume(conversationId);
      const appended = await store.appendTurn({
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
        tokenRenewal: tokens.renewal(),
      });
      if (appended.outcome === 'no conversation') throw deleted();
      if (appended.outcome === 'attachment refused') {
        throw new Conflict(
          'attachmentIds: names an attachment that is not in this conversation or was already sent',
        );
      }
      const turn = presentTurn(conversationId, appended.turn);
      if (appended.outcome === 'appended') {
        live.publishTurn(conversationId, turn);
        if (appended.statusBefore !== 'open') live.publishStatus(conversationId, 'open');
      }
      return turn;
    },

    async read(project: ProjectAccess, conversationId: string): Promise<Conversation> {
      const [row, turns] = await Promise.all([
        store.find(project.id, conversationId),
        store.turns(project.id, conversationId),
        store.renewToken(conversationId, tokens.renewal()),
      ]);
      if (row === undefined) throw deleted();
      return presentConversation(row, turns);
    },
  };
}

/** The conversation existed when the token was checked. */
const deleted = () => new Unauthorized('The conversation no longer exists.');
