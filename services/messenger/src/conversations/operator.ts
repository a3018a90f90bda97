import type {
  ConversationStatus,
  ConversationSummary,
  ConversationTokenRevocation,
  OperatorConversation,
  Turn,
} from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import {
  type AuditedChange,
  decodePlace,
  encodePlace,
  NotFound,
  type PageRequest,
  toPage,
} from '@switchboard/http';
import type { PersonIds } from '@switchboard/person-ids';
import type { Clock } from '@switchboard/runtime';
import type { Publisher } from '../publishing/publisher.ts';
import type { NameAuthors } from './authors.ts';
import { full, positionAfter } from './conversations.ts';
import { presentSummary, presentToOperator, presentTurn } from './present.ts';
import type { ReadTurns } from './reading.ts';
import type { ConversationsStore } from './store.ts';

const REVOKED_AT_ONCE = 500;

interface OperatorOptions {
  store: ConversationsStore;
  readTurns: ReadTurns;
  nameAuthors: NameAuthors;
  personIds: Pick<PersonIds, 'idsOf'>;
  publisher: Publisher;
  clock: Clock;
}

export type OperatorConversations = ReturnType<typeof createOperatorConversations>;

/** Handles an operator's actions on a project's conversations. */
export function createOperatorConversations({
  store,
  readTurns,
  nameAuthors,
  personIds,
  publisher,
  clock,
}: OperatorOptions) {
  return {
    async list(
      projectId: string,
      {
        status,
        distinctId,
        cursor,
        limit,
      }: PageRequest & { status?: ConversationStatus | undefined; distinctId?: string | undefined },
    ): Promise<{ conversations: ConversationSummary[]; nextCursor: string | null }> {
      const after = cursor === undefined ? undefined : decodePlace(cursor, 'cnv');
      const distinctIds = distinctId === undefined ? undefined : await personIds.idsOf(projectId, distinctId);
      const found = await store.page({ projectId, status, distinctIds, after, size: limit + 1 });
      const { rows, nextCursor } = toPage(found, limit, ({ lastTurnAt: at, id }) => encodePlace({ at, id }));
      return { conversations: rows.map(presentSummary), nextCursor };
    },

    /** Reads a conversation. With `after`, the id of a turn, it has only the turns after that one. */
    async read(projectId: string, id: string, after: string | undefined): Promise<OperatorConversation> {
      const row = await store.find(projectId, id);
      if (row === undefined) throw notFound();
      const turns = await readTurns(projectId, row, await positionAfter(store, id, after));
      return presentToOperator(row, turns);
    },

    async sendTurn(
      change: AuditedChange,
      { projectId, id: conversationId }: { projectId: string; id: string },
      { authorId, body }: { authorId: string; body: string },
      idempotencyKey: string | undefined,
    ): Promise<Turn> {
      const appended = await store.appendTurn(
        {
          id: newId('trn'),
          projectId,
          conversationId,
          author: { kind: 'teammate', id: authorId },
          body,
          pageContext: null,
          idempotencyKey: idempotencyKey ?? null,
          attachmentIds: [],
          createdAt: clock.now(),
          status: 'pending',
        },
        change,
      );
      if (appended.outcome === 'full') throw full();
      if (appended.outcome !== 'appended' && appended.outcome !== 'repeated') throw notFound();
      const [named = appended.turn] = await nameAuthors(projectId, [appended.turn]);
      const turn = presentTurn(conversationId, named);
      if (appended.outcome === 'repeated') {
        await change.record();
        return turn;
      }
      publisher.publishTurn(conversationId, turn);
      if (appended.statusBefore !== 'pending') publisher.publishStatus(conversationId, 'pending');
      return turn;
    },

    /** Revokes tokens. Returns how many of them were still valid. */
    async revokeTokens(
      change: AuditedChange,
      projectId: string,
      of: ConversationTokenRevocation,
    ): Promise<number> {
      let more = await store.revokeTokens(projectId, of, REVOKED_AT_ONCE, change);
      let revoked = more;
      while (more === REVOKED_AT_ONCE) {
        more = await store.revokeTokens(projectId, of, REVOKED_AT_ONCE);
        revoked += more;
      }
      return revoked;
    },

    async setStatus(
      change: AuditedChange,
      projectId: string,
      id: string,
      status: ConversationStatus,
    ): Promise<void> {
      if (!(await store.setStatus(projectId, id, status, change))) throw notFound();
      publisher.publishStatus(id, status);
    },
  };
}

const notFound = () => new NotFound('Conversation not found.');
