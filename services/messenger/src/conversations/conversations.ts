import type {
  Conversation,
  ConversationRequest,
  OpenedConversation,
  Turn,
  TurnRequest,
} from '@switchboard/contracts';
import {
  type Clock,
  Conflict,
  type ProjectAccess,
  type RateLimit,
  Unauthorized,
} from '@switchboard/service-kit';
import type { Identity } from '../identity/identity.ts';
import { newId } from '../ids.ts';
import type { Live } from '../live/live.ts';
import type { Appended, NewTurn } from './append.ts';
import { presentConversation, presentTurn } from './present.ts';
import type { ConversationStore } from './store.ts';
import type { ConversationTokens } from './tokens.ts';

interface ConversationsOptions {
  store: ConversationStore;
  append: (turn: NewTurn) => Promise<Appended>;
  tokens: ConversationTokens;
  identity: Pick<Identity, 'proves'>;
  limits: { opensPerAddress: RateLimit; opensPerProject: RateLimit; turns: RateLimit };
  live: Live;
  clock: Clock;
}

export type Conversations = ReturnType<typeof createConversations>;

/** What a visitor does in a conversation. */
export function createConversations(options: ConversationsOptions) {
  const { store, append, tokens, identity, limits, live, clock } = options;

  /** The turn as it is stored; nothing has to be read where all of it is known. */
  async function rowOf(sent: NewTurn, appended: Extract<Appended, { position: number }>) {
    if (appended.outcome === 'repeated' || sent.attachmentIds.length > 0) {
      return store.turn(sent.projectId, sent.conversationId, appended.position);
    }
    const { position, authorId } = appended;
    return { ...sent, position, authorId, authorName: null, avatarFile: null, attachments: [] };
  }

  return {
    async open(
      project: ProjectAccess,
      address: string,
      asked: ConversationRequest,
    ): Promise<OpenedConversation> {
      await limits.opensPerAddress.consume(`${project.id}:${address}`);
      await limits.opensPerProject.consume(project.id);
      const userId = asked.userId ?? null;
      const userVerified =
        userId !== null && (await identity.proves(project.id, userId, asked.userHash ?? null));
      const { token, hash, expiresInSeconds, expiresAt } = tokens.issue();
      const id = newId('cnv');
      const now = clock.now();
      await store.add({
        id,
        projectId: project.id,
        distinctId: asked.distinctId,
        subject: asked.subject ?? null,
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

    async send(
      project: ProjectAccess,
      conversationId: string,
      { body, pageContext, attachmentIds = [] }: TurnRequest,
      idempotencyKey: string | undefined,
    ): Promise<Turn> {
      await limits.turns.consume(conversationId);
      const sent: NewTurn = {
        id: newId('trn'),
        projectId: project.id,
        conversationId,
        authorKind: 'visitor',
        authorId: 'verified user',
        body,
        pageContext: pageContext ?? null,
        idempotencyKey: idempotencyKey ?? null,
        attachmentIds,
        createdAt: clock.now(),
        status: 'open',
        tokenExpiresAt: tokens.renewed(),
      };
      const appended = await append(sent);
      if (appended.outcome === 'no conversation') throw gone();
      if (appended.outcome === 'not claimed') {
        throw new Conflict('attachmentIds: names a file that is not this conversation’s or was already sent');
      }
      const row = await rowOf(sent, appended);
      if (row === undefined) throw gone();
      const turn = presentTurn(conversationId, row);
      if (appended.outcome === 'appended') {
        live.turn(conversationId, turn);
        if (appended.statusBefore !== 'open') live.status(conversationId, 'open');
      }
      return turn;
    },

    async read(project: ProjectAccess, conversationId: string): Promise<Conversation> {
      const [row, turns] = await Promise.all([
        store.find(project.id, conversationId),
        store.turns(project.id, conversationId),
        store.renew(conversationId, tokens.renewed()),
      ]);
      if (row === undefined) throw gone();
      return presentConversation(row, turns);
    },
  };
}

/** It was there when the token was checked. */
const gone = () => new Unauthorized('The conversation is no longer there.');
