import type {
  ConversationFilter,
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
import { full, positionAfter, refusedAttachment } from './conversations.ts';
import type { SearchConfigurationOf } from './languages.ts';
import type { ListStore } from './list/store.ts';
import { presentSummary, presentToOperator, presentTurn } from './present.ts';
import type { ContactReads, RatingReads, StaffReads } from './staff.ts';
import type { ConversationsStore } from './store.ts';
import type { ConversationTokens } from './tokens/tokens.ts';
import type { NameAuthors, ReadTurns } from './turns/reading.ts';
import type { TurnsStore } from './turns/store.ts';

const REVOKED_AT_ONCE = 500;

interface OperatorOptions {
  store: Pick<ConversationsStore, 'find'>;
  list: Pick<ListStore, 'page'>;
  turns: Pick<TurnsStore, 'append' | 'positionOf'>;
  tokens: Pick<ConversationTokens, 'revoke'>;
  readTurns: ReadTurns;
  nameAuthors: NameAuthors;
  personIds: Pick<PersonIds, 'idsOf'>;
  publisher: Publisher;
  support: StaffReads;
  contacts: ContactReads;
  satisfaction: RatingReads;
  /** Whether replies are mailed to visitors who do not read them. */
  isMailed: boolean;
  searchConfigurationOf: SearchConfigurationOf;
  clock: Clock;
}

interface ListRequest extends PageRequest, ConversationFilter {
  distinctId?: string | undefined;
  mentioned?: 'me' | undefined;
  sort: 'latest' | 'waiting';
}

/** A read of a conversation. */
interface ReadRequest {
  projectId: string;
  id: string;
  /** The id of a turn: the answer has only the turns after that one. */
  after: string | undefined;
  /** The member who reads it; undefined for a program with a token. */
  reader: string | undefined;
}

export type OperatorConversations = ReturnType<typeof createOperatorConversations>;

/** Handles an operator's actions on a project's conversations. */
export function createOperatorConversations({
  store,
  list,
  turns,
  tokens,
  readTurns,
  nameAuthors,
  personIds,
  publisher,
  support,
  contacts,
  satisfaction,
  isMailed,
  searchConfigurationOf,
  clock,
}: OperatorOptions) {
  /** Marks turns as read by a teammate, and tells the visitor. */
  async function markRead(id: string, sub: string, upTo: { position: number; at: Date }): Promise<void> {
    if (await support.markRead(id, sub, upTo)) publisher.publishRead(id, 'teammate', upTo.at);
  }

  return {
    async list(
      projectId: string,
      sub: string,
      { distinctId, mentioned, cursor, limit, assigned, assigneeId, ...filter }: ListRequest,
    ): Promise<{ conversations: ConversationSummary[]; nextCursor: string | null }> {
      const after = cursor === undefined ? undefined : decodePlace(cursor, 'cnv');
      const distinctIds = distinctId === undefined ? undefined : await personIds.idsOf(projectId, distinctId);
      const found = await list.page({
        ...filter,
        projectId,
        sub,
        assigneeId: assigneeOf(assigned, assigneeId, sub),
        mentioned: mentioned && sub,
        distinctIds,
        after,
        size: limit + 1,
      });
      const { rows, nextCursor } = toPage(found, limit, ({ lastTurnAt, waitingSince, id }) =>
        encodePlace({ at: filter.sort === 'waiting' ? (waitingSince ?? lastTurnAt) : lastTurnAt, id }),
      );
      return { conversations: rows.map(presentSummary), nextCursor };
    },

    /** Reads a conversation, and marks it as read by the member. */
    async read({ projectId, id, after, reader }: ReadRequest): Promise<OperatorConversation> {
      const row = await store.find(projectId, id);
      if (row === undefined) throw notFound();
      const [read, notes, history, contact, ratings] = await Promise.all([
        positionAfter(turns, id, after).then((position) => readTurns(projectId, row, position)),
        support.notes(id),
        support.history(id),
        contacts.contact(id),
        satisfaction.ratings(id),
      ]);
      if (reader !== undefined) await markRead(id, reader, { position: row.turnCount, at: row.lastTurnAt });
      return presentToOperator(row, { contact, turns: read, notes, history, ratings });
    },

    async sendTurn(
      change: AuditedChange,
      { projectId, id: conversationId }: { projectId: string; id: string },
      { authorId, body, attachmentIds }: { authorId: string; body: string; attachmentIds: readonly string[] },
      idempotencyKey: string | undefined,
    ): Promise<Turn> {
      const appended = await turns.append(
        {
          id: newId('trn'),
          projectId,
          conversationId,
          author: { kind: 'teammate', id: authorId },
          body,
          pageContext: null,
          idempotencyKey: idempotencyKey ?? null,
          attachmentIds,
          createdAt: clock.now(),
          status: 'pending',
          isMailed,
          searchConfiguration: await searchConfigurationOf(projectId),
        },
        change,
      );
      if (appended.outcome === 'full') throw full();
      if (appended.outcome === 'attachment refused') throw refusedAttachment();
      if (appended.outcome !== 'appended' && appended.outcome !== 'repeated') throw notFound();
      const [named = appended.turn] = await nameAuthors(projectId, [appended.turn]);
      const turn = presentTurn(conversationId, named);
      if (appended.outcome === 'repeated') {
        await change.record();
        return turn;
      }
      publisher.publishTurn(projectId, conversationId, turn);
      const { position, createdAt: at } = appended.turn;
      await markRead(conversationId, authorId, { position, at });
      if (appended.statusBefore !== 'pending') publisher.publishStatus(conversationId, 'pending');
      return turn;
    },

    /** Revokes tokens. Returns how many of them were still valid. */
    async revokeTokens(
      change: AuditedChange,
      projectId: string,
      of: ConversationTokenRevocation,
    ): Promise<number> {
      let more = await tokens.revoke(projectId, of, REVOKED_AT_ONCE, change);
      let revoked = more;
      while (more === REVOKED_AT_ONCE) {
        more = await tokens.revoke(projectId, of, REVOKED_AT_ONCE);
        revoked += more;
      }
      return revoked;
    },
  };
}

/** Returns the assignee that a filter selects: null for no one, undefined for everyone. */
export function assigneeOf(
  assigned: ConversationFilter['assigned'],
  assigneeId: string | undefined,
  sub: string,
): string | null | undefined {
  if (assigned === undefined) return assigneeId;
  return assigned === 'me' ? sub : null;
}

export const notFound = () => new NotFound('Conversation not found.');
