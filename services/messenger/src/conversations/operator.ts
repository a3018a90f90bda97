import type {
  ConversationStatus,
  ConversationSummary,
  OperatorConversation,
  Turn,
} from '@switchboard/contracts';
import { BadRequest, type Clock, NotFound } from '@switchboard/service-kit';
import { z } from 'zod';
import { newId } from '../ids.ts';
import type { Live } from '../live/live.ts';
import type { Appended, NewTurn } from './append.ts';
import { presentSummary, presentToOperator, presentTurn } from './present.ts';
import type { ConversationStore, Place } from './store.ts';

const PAGE = 50;

interface OperatorOptions {
  store: ConversationStore;
  append: (turn: NewTurn) => Promise<Appended>;
  live: Live;
  clock: Clock;
}

export type OperatorConversations = ReturnType<typeof createOperatorConversations>;

/** What the console does with a project's conversations. */
export function createOperatorConversations({ store, append, live, clock }: OperatorOptions) {
  return {
    async list(
      projectId: string,
      { status, cursor }: { status?: ConversationStatus | undefined; cursor?: string | undefined },
    ): Promise<{ conversations: ConversationSummary[]; nextCursor: string | null }> {
      const after = cursor === undefined ? undefined : parseCursor(cursor);
      const rows = await store.page(projectId, status, after, PAGE + 1);
      const page = rows.slice(0, PAGE);
      const last = page.at(-1);
      const nextCursor = rows.length > PAGE && last !== undefined ? cursorOf(last) : null;
      return { conversations: page.map(presentSummary), nextCursor };
    },

    async read(projectId: string, id: string): Promise<OperatorConversation> {
      const [row, turns] = await Promise.all([store.find(projectId, id), store.turns(projectId, id)]);
      if (row === undefined) throw missing();
      return presentToOperator(row, turns);
    },

    async answer(projectId: string, id: string, authorId: string, body: string): Promise<Turn> {
      const appended = await append({
        id: newId('trn'),
        projectId,
        conversationId: id,
        authorKind: 'teammate',
        authorId,
        body,
        pageContext: null,
        idempotencyKey: null,
        attachmentIds: [],
        createdAt: clock.now(),
        status: 'pending',
      });
      if (appended.outcome !== 'appended') throw missing();
      const row = await store.turn(projectId, id, appended.position);
      if (row === undefined) throw missing();
      const turn = presentTurn(id, row);
      live.turn(id, turn);
      if (appended.statusBefore !== 'pending') live.status(id, 'pending');
      return turn;
    },

    async setStatus(projectId: string, id: string, status: ConversationStatus): Promise<void> {
      if (!(await store.setStatus(projectId, id, status))) throw missing();
      live.status(id, status);
    },
  };
}

const missing = () => new NotFound('There is no such conversation in this project.');

const cursorSchema = z.tuple([z.iso.datetime({ precision: 3 }), z.string().regex(/^cnv_[0-9a-f]{32}$/)]);

function cursorOf({ lastTurnAt, id }: Place): string {
  return Buffer.from(JSON.stringify([lastTurnAt.toISOString(), id])).toString('base64url');
}

function parseCursor(cursor: string): Place {
  try {
    const [lastTurnAt, id] = cursorSchema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { lastTurnAt: new Date(lastTurnAt), id };
  } catch {
    throw new BadRequest('cursor: not the nextCursor of a page of conversations');
  }
}
