import type {
  AuthorKind,
  ConversationChange,
  ConversationFilter,
  ConversationStatus,
  SupportSettings,
} from '@switchboard/contracts';
import { SUPPORT_LIMITS } from '@switchboard/contracts';
import { type Db, type Transactor, type Tx, tryTransaction } from '@switchboard/database';
import { and, asc, desc, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { NoteRow, StaffReads } from '../conversations/staff.ts';
import { announce } from '../schema/announcements.ts';
import { addHistory, addResolutions, MAX_HISTORY } from '../schema/history.ts';
import {
  conversationCountChanges,
  conversationCounts,
  conversationHistory,
  conversationMentions,
  conversationNotes,
  conversationReads,
  conversations,
  supportSettings,
  teammates,
  turns,
} from '../schema/index.ts';
import { COUNTS_LOCK } from '../schema/support.ts';
import { turnsQuery, weekOf, wordsQuery } from '../schema/words.ts';

export interface StoredSettings extends Omit<SupportSettings, 'mailAddress' | 'mailOpensConversations'> {
  /** The secret part of the address that opens conversations. Null if mail opens none. */
  mailKey: string | null;
}

export interface NewNote extends NoteRow {
  projectId: string;
  conversationId: string;
  authorId: string;
  idempotencyKey: string | null;
}

/** A change of conversations, with the values that the rules have settled. */
export interface ChangeOfConversations {
  projectId: string;
  ids: readonly string[];
  change: ConversationChange;
  authorId: string | null;
  at: Date;
  /** The labels of the project. A conversation loses others. */
  knownLabelIds: readonly string[];
}

interface Changed {
  id: string;
  statusBefore: ConversationStatus;
}

export interface FoundTurn {
  conversationId: string;
  turnId: string;
  authorKind: AuthorKind;
  createdAt: Date;
  body: string;
}

interface SearchRequest {
  projectId: string;
  configuration: string;
  text: string;
  now: Date;
}

/** How visitors see a member. */
interface Teammate {
  name: string;
  avatarFile: string | null;
}

/** A condition on the counts of conversations. `assigneeId` null selects those of no one. */
export interface CountFilter extends Omit<ConversationFilter, 'assigned' | 'assigneeId'> {
  assigneeId?: string | null | undefined;
}

export interface SupportStore extends StaffReads {
  settings(projectId: string): Promise<StoredSettings | undefined>;
  /** Returns false if another version is stored. */
  putSettings(
    projectId: string,
    settings: StoredSettings,
    before: number,
    within: Transactor,
  ): Promise<boolean>;
  /** Changes conversations and adds the change to their history. Undefined if one would have too many labels. */
  change(change: ChangeOfConversations, within: Transactor): Promise<Changed[] | undefined>;
  /** Adds a note, or finds the one with the same idempotency key. Changes nothing if it answers with a text. */
  addNote(note: NewNote, within: Transactor): Promise<NoteRow | 'no conversation' | 'full'>;
  /**
   * Marks the turns up to a time as seen by the visitor, by default all of them. Returns the time of the last one;
   * undefined if the visitor had seen them before.
   */
  markVisitorRead(conversationId: string, at: Date | undefined): Promise<Date | undefined>;
  /** Returns a member of the project's team. Undefined if the member has no entry there. */
  teammate(projectId: string, sub: string): Promise<Teammate | undefined>;
  exists(projectId: string, conversationId: string): Promise<boolean>;
  /** Counts the unresolved conversations for each filter. */
  counts(projectId: string, filters: readonly CountFilter[]): Promise<number[]>;
  /** Counts the unresolved conversations that mention a member, up to a limit. */
  countMentions(projectId: string, sub: string, limit: number): Promise<number>;
  /** Finds the newest turns that contain the words. */
  search(request: SearchRequest): Promise<FoundTurn[]>;
  /** The query behind a step of `search`, for tests that explain it. */
  searchQuery(request: SearchRequest, weeks: readonly number[] | undefined): SQL;
  /** Ends snoozes that are over, up to `limit` of them. */
  wake(now: Date, limit: number): Promise<{ id: string; projectId: string }[]>;
  /** Adds up to `limit` changes to the counts. Returns their number. */
  addToCounts(limit: number): Promise<number>;
}

/** The number of matches of a step of a search that are sorted by time. */
const MAX_MATCHES = 20_000;
/** Searches go back in steps, because frequent words are found in the newest weeks. */
const WEEKS = [1, 4, 12] as const;
export function createSupportStore(db: Db | Tx): SupportStore {
  function searchQuery({ projectId, configuration, text }: SearchRequest, weeks?: readonly number[]): SQL {
    const isMatch = sql`${turns.words} @@ ${turnsQuery({ projectId, configuration, text }, weeks)}`;
    return sql`
      select found.conversation_id, found.id, found.author_kind, found.created_at, found.body from (
        select conversation_id, id, author_kind, created_at, body from (
          select conversation_id, id, author_kind, created_at, body from ${turns}
          where ${isMatch} limit ${MAX_MATCHES}
        ) as matching order by created_at desc, id desc limit ${SUPPORT_LIMITS.found}
      ) as found
      join ${conversations} on conversations.id = found.conversation_id
      where conversations.project_id = ${projectId}
      order by found.created_at desc, found.id desc`;
  }

  return {
    searchQuery,

    async settings(projectId) {
      const [row] = await db.select().from(supportSettings).where(eq(supportSettings.projectId, projectId));
      if (row === undefined) return undefined;
      const { settings, projectId: _, ...columns } = row;
      return { ...settings, ...columns };
    },

    async putSettings(
      projectId,
      { version, keepAssigneeDays, mailAfterMinutes, mailKey, asksSatisfaction, ...settings },
      before,
      within,
    ) {
      return tryTransaction(within, async (tx, undo) => {
        const columns = { version, keepAssigneeDays, mailAfterMinutes, mailKey, asksSatisfaction };
        const values = { projectId, ...columns, settings };
        const stored = await tx
          .insert(supportSettings)
          .values(values)
          .onConflictDoUpdate({
            target: supportSettings.projectId,
            set: values,
            setWhere: eq(supportSettings.version, before),
          })
          .returning({ version: supportSettings.version });
        // A conflict with version 0 finds the row that someone else has added.
        return stored.length > 0 || undo(false);
      });
    },

    async change({ projectId, ids, change, authorId, at, knownLabelIds }, within) {
      return tryTransaction<Changed[] | undefined>(within, async (tx, undo) => {
        const before = tx.$with('before').as(
          tx
            .select({ id: conversations.id, status: conversations.status })
            .from(conversations)
            .where(and(eq(conversations.projectId, projectId), inArray(conversations.id, [...ids])))
            // In one order, so that concurrent changes do not wait for each other.
            .orderBy(asc(conversations.id))
            .for('no key update'),
        );
        const changed = await tx
          .with(before)
          .update(conversations)
          .set(valuesOf(change, at, knownLabelIds))
          .from(before)
          .where(eq(conversations.id, before.id))
          .returning({
            id: conversations.id,
            labelIds: conversations.labelIds,
            distinctId: conversations.distinctId,
            userId: conversations.userId,
            userVerified: conversations.userVerified,
            subject: conversations.subject,
            status: conversations.status,
            statusBefore: before.status,
            openedAt: sql<string>`coalesce(${conversations.reopenedAt}, ${conversations.createdAt})`,
          });
        if (changed.some(({ labelIds }) => labelIds.length > SUPPORT_LIMITS.labelsOfConversation))
          return undo(undefined);
        await addHistory(
          tx,
          changed.map(({ id }) => id),
          { authorId, at, change },
        );
        if (change.status === 'resolved') {
          const resolved = changed.filter(({ statusBefore }) => statusBefore !== 'resolved');
          await addResolutions(
            tx,
            resolved.map(({ id: conversationId, openedAt }) => ({
              conversationId,
              projectId,
              resolvedAt: at,
              openedAt: new Date(openedAt),
            })),
          );
          await announce(
            tx,
            resolved.map((row) => ({ ...row, type: 'conversation.resolved', projectId, at })),
          );
        }
        return changed.map(({ id, statusBefore }) => ({ id, statusBefore }));
      });
    },

    async addNote({ projectId, ...note }, within) {
      return tryTransaction<NoteRow | 'no conversation' | 'full'>(within, async (tx, undo) => {
        const { conversationId, idempotencyKey, mentions } = note;
        const [locked] = await tx
          .select({ id: conversations.id })
          .from(conversations)
          .where(and(eq(conversations.projectId, projectId), eq(conversations.id, conversationId)))
          .for('no key update');
        if (locked === undefined) return undo('no conversation');
        const others = await tx
          .select({ ...noteColumns, idempotencyKey: conversationNotes.idempotencyKey })
          .from(conversationNotes)
          .where(eq(conversationNotes.conversationId, conversationId));
        const repeated = others.find(
          (one) => one.idempotencyKey !== null && one.idempotencyKey === idempotencyKey,
        );
        if (repeated !== undefined) {
          const { idempotencyKey: _, ...first } = repeated;
          return first;
        }
        if (others.length >= SUPPORT_LIMITS.notes) return undo('full');
        await tx.insert(conversationNotes).values(note);
        if (mentions.length > 0) {
          await tx
            .insert(conversationMentions)
            .values(mentions.map((sub) => ({ projectId, sub, conversationId })))
            .onConflictDoNothing();
        }
        return note;
      });
    },

    async notes(conversationId) {
      return db
        .select(noteColumns)
        .from(conversationNotes)
        .where(eq(conversationNotes.conversationId, conversationId))
        .orderBy(asc(conversationNotes.id));
    },

    async history(conversationId) {
      const latest = await db
        .select({
          id: conversationHistory.id,
          at: conversationHistory.at,
          authorId: conversationHistory.authorId,
          change: conversationHistory.change,
        })
        .from(conversationHistory)
        .where(eq(conversationHistory.conversationId, conversationId))
        .orderBy(desc(conversationHistory.id))
        .limit(MAX_HISTORY);
      return latest.reverse();
    },

    async markRead(conversationId, sub, { position, at }) {
      const time = sql`${at.toISOString()}::timestamptz`;
      const rows = await db.execute(sql`
        with advanced as (
          insert into ${conversationReads} (conversation_id, sub, position)
          select id, ${sub}, ${position}::int from ${conversations} where id = ${conversationId}
          on conflict (conversation_id, sub) do update set position = excluded.position
          where conversation_reads.position < excluded.position
          returning conversation_id
        )
        update ${conversations} set teammate_read_at = ${time} from advanced
        where id = advanced.conversation_id and coalesce(teammate_read_at < ${time}, true)
        returning id`);
      return rows.length > 0;
    },

    async markVisitorRead(conversationId, at) {
      const upTo = sql`least(${at?.toISOString() ?? null}::timestamptz, ${conversations.lastTurnAt})`;
      const [row] = await db
        .update(conversations)
        .set({ visitorReadAt: upTo })
        .where(
          and(
            eq(conversations.id, conversationId),
            sql`coalesce(${conversations.visitorReadAt} < ${upTo}, true)`,
          ),
        )
        .returning({ at: conversations.visitorReadAt });
      return row?.at ?? undefined;
    },

    async teammate(projectId, sub) {
      const [row] = await db
        .select({ name: teammates.name, avatarFile: teammates.avatarFile })
        .from(teammates)
        .where(and(eq(teammates.projectId, projectId), eq(teammates.userId, sub)));
      return row;
    },

    async exists(projectId, conversationId) {
      const rows = await db
        .select({ id: conversations.id })
        .from(conversations)
        .where(and(eq(conversations.projectId, projectId), eq(conversations.id, conversationId)));
      return rows.length > 0;
    },

    async counts(projectId, filters) {
      if (filters.length === 0) return [];
      const sums = filters.map(
        (filter, index) =>
          sql`coalesce(sum(n) filter (where ${conditionOf(filter)}), 0)::float8 as ${sql.identifier(`c${index}`)}`,
      );
      const columns = sql`label_id, status, snoozed, assignee_id, team_id, priority`;
      const [row] = await db.execute<Record<string, number>>(sql`
        select ${sql.join(sums, sql`, `)} from (
          select ${columns}, count as n from ${conversationCounts} where project_id = ${projectId}
          union all
          select ${columns}, change from ${conversationCountChanges} where project_id = ${projectId}
        ) as counted`);
      return filters.map((_, index) => row?.[`c${index}`] ?? 0);
    },

    async countMentions(projectId, sub, limit) {
      const [row] = await db.execute<{ n: number }>(sql`
        select count(*)::int as n from (
          select 1 from ${conversationMentions} join ${conversations} on conversations.id = conversation_id
          where conversation_mentions.project_id = ${projectId} and sub = ${sub} and status <> 'resolved'
          limit ${limit}
        ) as unresolved`);
      return row?.n ?? 0;
    },

    async search(request) {
      const [{ words } = { words: 0 }] = await db.execute<{ words: number }>(
        sql`select numnode(${wordsQuery(request)}) as words`,
      );
      if (words === 0) return [];
      const found = new Map<string, FoundTurn>();
      let week = weekOf(request.now);
      for (const length of [...WEEKS, undefined]) {
        // An instance with a fast clock marks turns with the next week.
        const first = found.size === 0 && length === 1 ? 2 : 1;
        const weeks =
          length === undefined
            ? undefined
            : Array.from({ length: length + first - 1 }, (_, index) => week + first - 1 - index);
        const rows = await db.execute<{
          conversation_id: string;
          id: string;
          author_kind: AuthorKind;
          created_at: string;
          body: string;
        }>(searchQuery(request, weeks));
        for (const row of rows) {
          found.set(row.id, {
            conversationId: row.conversation_id,
            turnId: row.id,
            authorKind: row.author_kind,
            createdAt: new Date(row.created_at),
            body: row.body,
          });
        }
        if (found.size >= SUPPORT_LIMITS.found) break;
        week -= length ?? 0;
      }
      return [...found.values()]
        .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
        .slice(0, SUPPORT_LIMITS.found);
    },

    async wake(now, limit) {
      const isDue = and(
        conversations.isSnoozed,
        sql`${conversations.snoozedUntil} <= ${now.toISOString()}::timestamptz`,
      );
      // Most looks find nothing: one statement shows that, where the transaction takes three.
      if ((await db.select({ id: conversations.id }).from(conversations).where(isDue).limit(1)).length === 0)
        return [];
      return db.transaction(async (tx) => {
        const due = tx
          .select({ id: conversations.id })
          .from(conversations)
          .where(isDue)
          .orderBy(asc(conversations.snoozedUntil))
          .limit(limit)
          .for('no key update', { skipLocked: true });
        const woken = await tx
          .update(conversations)
          .set({ isSnoozed: false, snoozedUntil: null })
          .where(inArray(conversations.id, due))
          .returning({ id: conversations.id, projectId: conversations.projectId });
        await addHistory(
          tx,
          woken.map(({ id }) => id),
          { authorId: null, at: now, change: { snooze: null } },
        );
        return woken;
      });
    },

    async addToCounts(limit) {
      const { id } = conversationCountChanges;
      // Most looks find nothing: one statement shows that, where the transaction takes five.
      if ((await db.select({ id }).from(conversationCountChanges).limit(1)).length === 0) return 0;
      return db.transaction(async (tx) => {
        const [lock] = await tx.execute<{ locked: boolean }>(
          sql`select pg_try_advisory_xact_lock(${COUNTS_LOCK}) as locked`,
        );
        if (lock?.locked !== true) return 0;
        const columns = sql`project_id, label_id, status, snoozed, assignee_id, team_id, priority`;
        const [row] = await tx.execute<{ taken: number }>(sql`
          with taken as (
            delete from ${conversationCountChanges} where id in (
              select id from ${conversationCountChanges} order by id limit ${limit})
            returning ${columns}, change
          ), added as (
            insert into ${conversationCounts} (${columns}, count)
            select ${columns}, sum(change) from taken group by ${columns} having sum(change) <> 0
            on conflict (${columns}) do update set count = conversation_counts.count + excluded.count
          )
          select count(*)::int as taken from taken`);
        await tx.delete(conversationCounts).where(eq(conversationCounts.count, 0));
        return row?.taken ?? 0;
      });
    },
  };
}

const noteColumns = {
  id: conversationNotes.id,
  authorId: conversationNotes.authorId,
  authorName: conversationNotes.authorName,
  body: conversationNotes.body,
  mentions: conversationNotes.mentions,
  createdAt: conversationNotes.createdAt,
};

function valuesOf(
  { status, assigneeId, teamId, priority, addLabelIds, removeLabelIds, snooze }: ConversationChange,
  at: Date,
  knownLabelIds: readonly string[],
) {
  const ends = status === 'resolved' || snooze === null;
  return {
    ...(status && { status, ...timesOf(status, at) }),
    ...(assigneeId !== undefined && { assigneeId }),
    ...(teamId !== undefined && { teamId }),
    ...(priority && { priority }),
    ...(snooze && {
      isSnoozed: true,
      snoozedUntil: snooze.until === null ? null : new Date(snooze.until),
    }),
    ...(ends && { isSnoozed: false, snoozedUntil: null }),
    // Sets a column in any case, because an update without one is no statement.
    labelIds: sql`array(
      select distinct label from unnest(${conversations.labelIds} || ${sql.param(addLabelIds ?? [])}::text[]) as label
      where label = any(${sql.param(knownLabelIds)}::text[])
        and not label = any(${sql.param(removeLabelIds ?? [])}::text[]) order by label)`,
  };
}

function timesOf(status: ConversationStatus, at: Date) {
  const now = sql`${at.toISOString()}::timestamptz`;
  if (status === 'resolved')
    return { resolvedAt: sql`coalesce(${conversations.resolvedAt}, ${now})`, waitingSince: null };
  const reopenedAt = sql`case when ${conversations.status} = 'resolved' then ${now}
    else ${conversations.reopenedAt} end`;
  return { resolvedAt: null, reopenedAt, ...(status === 'pending' && { waitingSince: null }) };
}

function conditionOf({ status, snoozed, assigneeId, teamId, labelId, priority }: CountFilter): SQL {
  const conditions = [sql`label_id = ${labelId ?? ''}`];
  if (status !== undefined) conditions.push(sql`status = ${status}`);
  if (snoozed !== undefined) conditions.push(sql`snoozed = ${snoozed}`);
  if (assigneeId !== undefined) conditions.push(sql`assignee_id = ${assigneeId ?? ''}`);
  if (teamId !== undefined) conditions.push(sql`team_id = ${teamId}`);
  if (priority !== undefined) conditions.push(sql`priority = ${priority}`);
  return sql.join(conditions, sql` and `);
}
