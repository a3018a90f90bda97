import type {
  ConversationStatus,
  ConversationSummary,
  OperatorConversation,
  Turn,
} from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import { BadRequest, type Clock, NotFound } from '@switchboard/service-kit';
import { z } from 'zod';
import type { Live } from '../live/live.ts';
import { full, positionAfter } from './conversations.ts';
import { presentSummary, presentToOperator, presentTurn } from './present.ts';
import type { ReadTurns } from './reading.ts';
import type { ConversationsStore, Cursor } from './store.ts';

const PAGE_SIZE = 50;

interface OperatorOptions {
  store: ConversationsStore;
  readTurns: ReadTurns;
  live: Live;
  clock: Clock;
}

export type OperatorConversations = ReturnType<typeof createOperatorConversations>;

/** What an operator does with a project's conversations. */
export function createOperatorConversations({ store, readTurns, live, clock }: OperatorOptions) {
  return {
    async list(
      projectId: string,
      { status, cursor }: { status?: ConversationStatus | undefined; cursor?: string | undefined },
    ): Promise<{ conversations: ConversationSummary[]; nextCursor: string | null }> {
      const after = cursor === undefined ? undefined : decodeCursor(cursor);
      const rows = await store.page({ projectId, status, after, size: PAGE_SIZE + 1 });
      const page = rows.slice(0, PAGE_SIZE);
      const last = page.at(-1);
      const nextCursor = rows.length > PAGE_SIZE && last !== undefined ? encodeCursor(last) : null;
      return { conversations: page.map(presentSummary), nextCursor };
    },

    /** With `after`, the id of a turn, only the turns after that one. */
    async read(projectId: string, id: string, after: string | undefined): Promise<OperatorConversation> {
      const row = await store.find(projectId, id);
      if (row === undefined) throw notFound();
      const turns = await readTurns(projectId, row, await positionAfter(store, id, after));
      return presentToOperator(row, turns);
    },

    async sendTurn(
      { projectId, id: conversationId }: { projectId: string; id: string },
      { authorId, body }: { authorId: string; body: string },
      idempotencyKey: string | undefined,
    ): Promise<Turn> {
      const appended = await store.appendTurn({
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
      });
      if (appended.outcome === 'full') throw full();
      if (appended.outcome !== 'appended' && appended.outcome !== 'repeated') throw notFound();
      const turn = presentTurn(conversationId, appended.turn);
      if (appended.outcome === 'repeated') return turn;
      live.publishTurn(conversationId, turn);
      if (appended.statusBefore !== 'pending') live.publishStatus(conversationId, 'pending');
      return turn;
    },

    async setStatus(projectId: string, id: string, status: ConversationStatus): Promise<void> {
      if (!(await store.setStatus(projectId, id, status))) throw notFound();
      live.publishStatus(id, status);
    },
  };
}

const notFound = () => new NotFound('Conversation not found.');

const cursorSchema = z.tuple([z.iso.datetime({ precision: 3 }), z.string().regex(/^cnv_[0-9a-f]{32}$/)]);

function encodeCursor({ lastTurnAt, id }: Cursor): string {
  return Buffer.from(JSON.stringify([lastTurnAt.toISOString(), id])).toString('base64url');
}

function decodeCursor(cursor: string): Cursor {
  try {
    const [lastTurnAt, id] = cursorSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { lastTurnAt: new Date(lastTurnAt), id };
  } catch {
    throw new BadRequest('cursor: not a nextCursor from this list');
  }
}
