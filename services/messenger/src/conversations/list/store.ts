import type { ConversationFilter, ConversationPriority, ConversationStatus } from '@switchboard/contracts';
import type { Db } from '@switchboard/database';
import type { Place } from '@switchboard/http';
import { and, asc, desc, eq, gt, gte, inArray, isNotNull, isNull, lt, lte, not, or, sql } from 'drizzle-orm';
import { staffColumns } from '../../schema/conversations.ts';
import { conversationMentions, conversationReads, conversations, turns } from '../../schema/index.ts';
import type { SummaryRow } from '../rows.ts';

export interface PageRequest {
  projectId: string;
  /** The member who reads the list. */
  sub: string;
  status?: ConversationStatus | undefined;
  snoozed?: boolean | undefined;
  /** null for the conversations of no one. */
  assigneeId?: string | null | undefined;
  teamId?: string | undefined;
  labelId?: string | undefined;
  priority?: ConversationPriority | undefined;
  satisfaction?: ConversationFilter['satisfaction'];
  /** latest: the latest turn first. waiting: only conversations that wait for an answer, longest first. */
  sort?: 'latest' | 'waiting';
  /** Only conversations with a note that mentions this member. */
  mentioned?: string | undefined;
  /** Only these conversations. */
  ids?: readonly string[] | undefined;
  /** Only conversations of these distinct ids. */
  distinctIds?: readonly string[] | undefined;
  /** The last conversation of the previous page, by the time that sorts the list. */
  after: Place | undefined;
  size: number;
}

/** Lists conversations for staff. */
export interface ListStore {
  /** Returns conversations in the order of the request. */
  page(request: PageRequest): Promise<SummaryRow[]>;
  /** The query behind `page`, for tests that explain it. */
  pageQuery(request: PageRequest): { toSQL(): { sql: string; params: unknown[] } };
}

/** The characters of the last turn that a list shows. */
const SHOWN_OF_TURN = 200;

export function createListStore(db: Db): ListStore {
  function pageQuery({ projectId, sub, after, size, sort = 'latest', ...wanted }: PageRequest) {
    const { status, snoozed, assigneeId, teamId, labelId, priority, mentioned, ids, distinctIds } = wanted;
    const { satisfaction } = wanted;
    const isLatest = sort === 'latest';
    const time = isLatest ? conversations.lastTurnAt : conversations.waitingSince;
    const [isPast, direction] = isLatest ? [lt, desc] : [gt, asc];
    const order = [direction(time), direction(conversations.id)];
    const isAfter =
      after && or(isPast(time, after.at), and(eq(time, after.at), isPast(conversations.id, after.id)));
    // Stated separately because PostgreSQL does not use the index for the `or` above.
    const start = after && (isLatest ? lte(time, after.at) : gte(time, after.at));
    const mentioning = db
      .select({ id: conversationMentions.conversationId })
      .from(conversationMentions)
      .where(
        and(eq(conversationMentions.projectId, projectId), eq(conversationMentions.sub, mentioned ?? '')),
      );
    const found = db
      .select()
      .from(conversations)
      .where(
        and(
          eq(conversations.projectId, projectId),
          status && eq(conversations.status, status),
          snoozed === undefined
            ? undefined
            : snoozed
              ? conversations.isSnoozed
              : not(conversations.isSnoozed),
          assigneeId === null ? isNull(conversations.assigneeId) : undefined,
          assigneeId ? eq(conversations.assigneeId, assigneeId) : undefined,
          teamId === undefined ? undefined : eq(conversations.teamId, teamId),
          // The index has only conversations with labels.
          labelId === undefined
            ? undefined
            : sql`${conversations.labelIds} @> array[${labelId}]::text[] and ${conversations.labelIds} <> '{}'`,
          // The index leaves out the usual priority.
          priority &&
            (priority === 'normal'
              ? eq(conversations.priority, priority)
              : sql`${conversations.priority} = ${priority} and ${conversations.priority} <> 'normal'`),
          mentioned === undefined ? undefined : inArray(conversations.id, mentioning),
          satisfaction && scoreIn(satisfaction),
          isLatest ? undefined : isNotNull(conversations.waitingSince),
          ids && inArray(conversations.id, [...ids]),
          distinctIds && inArray(conversations.distinctId, [...distinctIds]),
          start,
          isAfter,
        ),
      )
      .orderBy(...order)
      .limit(size)
      .as('conversations');
    return db
      .select({
        ...staffColumns,
        lastTurn: {
          authorKind: turns.authorKind,
          body: sql<string>`left(${turns.body}, ${SHOWN_OF_TURN}::int)`,
        },
        isUnread: sql<boolean>`greatest(${conversationReads.position}, ${conversations.importedTurns}, 0)
          < ${conversations.turnCount}`,
      })
      .from(found)
      .leftJoin(
        turns,
        and(eq(turns.conversationId, conversations.id), eq(turns.position, conversations.turnCount)),
      )
      .leftJoin(
        conversationReads,
        and(eq(conversationReads.conversationId, conversations.id), eq(conversationReads.sub, sub)),
      )
      .orderBy(...order);
  }

  return { pageQuery, page: async (request) => pageQuery(request) };
}

const SCORES = { bad: [1, 2], neutral: [3], good: [4, 5] } as const;

/** The index has only rated conversations. */
const scoreIn = (satisfaction: keyof typeof SCORES) =>
  and(
    isNotNull(conversations.satisfactionScore),
    inArray(conversations.satisfactionScore, [...SCORES[satisfaction]]),
  );
