import { type Db, removeSome } from '@switchboard/database';
import type { ErasedPerson } from '@switchboard/directory';
import { and, eq, inArray, or, type SQL, sql } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import {
  articleSearches,
  attachments,
  avatars,
  configurations,
  conversationCountChanges,
  conversationCounts,
  conversationHistory,
  conversationMentions,
  conversationNotes,
  conversationReads,
  conversations,
  helpSites,
  identitySecrets,
  inboxPreferences,
  messageKeys,
  messages,
  pushSubscriptions,
  reads,
  recipients,
  supportSettings,
  teammates,
  translatedBytes,
  turns,
} from '../schema/index.ts';

import { COUNTS_LOCK } from '../schema/support.ts';

/** An avatar that only the colleague has in its project. */
export interface OwnAvatar {
  projectId: string;
  file: string;
}

export interface ErasureStore {
  /** Returns the ids of up to `limit` conversations of a person. */
  findConversations(person: ErasedPerson, limit: number): Promise<string[]>;
  /** Returns the object keys of the attachments of conversations. */
  findObjects(conversationIds: readonly string[]): Promise<string[]>;
  /** Removes conversations with their turns and attachments, unless one has an attachment that is not listed. */
  removeConversations(ids: readonly string[], objectKeys: readonly string[]): Promise<void>;
  /** Empties the inbox of a person and removes messages that were sent to no one else. */
  removeInbox(person: ErasedPerson): Promise<void>;
  findOwnAvatars(sub: string): Promise<OwnAvatar[]>;
  /** Removes a colleague as a teammate. Their turns, notes and changes stay, without an author. */
  removeTeammate(sub: string): Promise<void>;
  /** Whether the project has attachments or avatars. */
  hasFiles(projectId: string): Promise<boolean>;
  /** Removes up to `limit` rows of a project from each table. Returns the number of removed rows. */
  removeOfProject(projectId: string, limit: number): Promise<number>;
  removeCompany(companyId: string): Promise<void>;
}

export function createErasureStore(db: Db): ErasureStore {
  return {
    async findConversations({ projectId, distinctIds, userId }, limit) {
      const isTheirs = or(
        inArray(conversations.distinctId, distinctIds),
        userId === null ? undefined : eq(conversations.userId, userId),
      );
      const rows = await db
        .select({ id: conversations.id })
        .from(conversations)
        .where(and(eq(conversations.projectId, projectId), isTheirs))
        .limit(limit);
      return rows.map(({ id }) => id);
    },

    async findObjects(conversationIds) {
      const rows = await db
        .select({ objectKey: attachments.objectKey })
        .from(attachments)
        .where(inArray(attachments.conversationId, [...conversationIds]));
      return rows.map(({ objectKey }) => objectKey);
    },

    async removeConversations(ids, objectKeys) {
      const known = new Set(objectKeys);
      await db.transaction(async (tx) => {
        // A new turn or attachment waits for this lock and then finds no conversation.
        const locked = inArray(conversations.id, [...ids]);
        await tx.select({ id: conversations.id }).from(conversations).where(locked).for('update');
        const found = await tx
          .select({ objectKey: attachments.objectKey })
          .from(attachments)
          .where(inArray(attachments.conversationId, [...ids]));
        if (found.some(({ objectKey }) => !known.has(objectKey))) return;
        await tx.delete(attachments).where(inArray(attachments.conversationId, [...ids]));
        await tx.delete(turns).where(inArray(turns.conversationId, [...ids]));
        await tx.delete(conversations).where(locked);
      });
    },

    async removeInbox({ projectId, distinctIds, userId }) {
      const ids = userId === null ? distinctIds : [...distinctIds, userId];
      await db.transaction(async (tx) => {
        await tx.delete(reads).where(and(eq(reads.projectId, projectId), inArray(reads.distinctId, ids)));
        const removed = await tx
          .delete(recipients)
          .where(and(eq(recipients.projectId, projectId), inArray(recipients.distinctId, ids)))
          .returning({ messageId: recipients.messageId });
        const messageIds = [...new Set(removed.map(({ messageId }) => messageId))];
        if (messageIds.length === 0) return;
        const others = tx
          .select({ messageId: recipients.messageId })
          .from(recipients)
          .where(and(eq(recipients.projectId, projectId), inArray(recipients.messageId, messageIds)));
        const toNobody: SQL | undefined = and(
          inArray(messages.id, messageIds),
          sql`not ${messages.toEveryone}`,
          sql`${messages.id} not in (${others})`,
        );
        const gone = tx.select({ id: messages.id }).from(messages).where(toNobody);
        await tx.delete(messageKeys).where(inArray(messageKeys.messageId, gone));
        await tx.delete(messages).where(toNobody);
      });
    },

    async findOwnAvatars(sub) {
      const rows = await db.execute<{ project_id: string; file: string }>(sql`
        select project_id, file from ${avatars} as own where user_id = ${sub} and not exists (
          select 1 from ${avatars} as other
          where other.project_id = own.project_id and other.file = own.file and other.user_id <> ${sub}
        )`);
      return rows.map(({ project_id: projectId, file }) => ({ projectId, file }));
    },

    async removeTeammate(sub) {
      await db.transaction(async (tx) => {
        await tx.delete(avatars).where(eq(avatars.userId, sub));
        await tx.delete(teammates).where(eq(teammates.userId, sub));
        await tx
          .update(turns)
          .set({ authorId: null })
          .where(and(eq(turns.authorKind, 'teammate'), eq(turns.authorId, sub)));
        await tx.delete(conversationReads).where(eq(conversationReads.sub, sub));
        await tx.delete(conversationMentions).where(eq(conversationMentions.sub, sub));
        await tx.delete(inboxPreferences).where(eq(inboxPreferences.sub, sub));
        await tx.delete(pushSubscriptions).where(eq(pushSubscriptions.sub, sub));
        await tx
          .update(conversationNotes)
          .set({ mentions: sql`array_remove(${conversationNotes.mentions}, ${sub})` })
          .where(sql`${sub} = any(${conversationNotes.mentions})`);
        const ofNotes = eq(conversationNotes.authorId, sub);
        await tx.update(conversationNotes).set({ authorId: null }).where(ofNotes);
        const ofHistory = eq(conversationHistory.authorId, sub);
        await tx.update(conversationHistory).set({ authorId: null }).where(ofHistory);
        await tx
          .update(conversationHistory)
          .set({ change: sql`(${conversationHistory.change}::jsonb - 'assigneeId')::json` })
          .where(sql`${conversationHistory.change}->>'assigneeId' = ${sub}`);
        // Without the colleague's conversations, all counts of them are 0.
        await tx.execute(sql`select pg_advisory_xact_lock(${COUNTS_LOCK})`);
        await tx.update(conversations).set({ assigneeId: null }).where(eq(conversations.assigneeId, sub));
        for (const table of [conversationCountChanges, conversationCounts])
          await tx.delete(table).where(eq(table.assigneeId, sub));
        await tx
          .update(supportSettings)
          .set({ settings: withoutViewsOf(sub), version: sql`${supportSettings.version} + 1` })
          .where(sql`exists (select from json_array_elements(${supportSettings.settings}->'views') as view
            where view->'filter'->>'assigneeId' = ${sub})`);
      });
    },

    async hasFiles(projectId) {
      const [row] = await db.execute(sql`
        select exists (select from ${avatars} where project_id = ${projectId}) or exists (
          select from ${attachments} where conversation_id in (
            select id from ${conversations} where project_id = ${projectId})) as found`);
      return row?.['found'] === true;
    },

    async removeOfProject(projectId, limit) {
      const ofProject = sql`project_id = ${projectId}`;
      const ofConversations = sql`conversation_id in (select id from ${conversations} where ${ofProject})`;
      const remove = (table: PgTable, where: SQL) => removeSome(db, table, { where, limit });
      // Removes rows that refer to other rows first. Notes, mentions, history and reads go with their conversations.
      for (const table of [attachments, turns])
        if ((await remove(table, ofConversations)) === limit) return limit;
      for (const table of [reads, recipients, messageKeys])
        if ((await remove(table, ofProject)) === limit) return limit;
      let removed = 0;
      for (const table of [
        conversations,
        messages,
        configurations,
        identitySecrets,
        teammates,
        avatars,
        articleSearches,
        helpSites,
        supportSettings,
        inboxPreferences,
        pushSubscriptions,
        // The changes first: one that is being added to the counts is in one of them.
        conversationCountChanges,
        conversationCounts,
      ])
        removed += await remove(table, ofProject);
      return removed;
    },

    async removeCompany(companyId) {
      await db.delete(translatedBytes).where(eq(translatedBytes.companyId, companyId));
    },
  };
}

/** Returns the settings of support without views of a colleague's conversations. */
const withoutViewsOf = (sub: string) => sql`
  jsonb_set(${supportSettings.settings}::jsonb, '{views}', coalesce((
    select jsonb_agg(view) from jsonb_array_elements(${supportSettings.settings}::jsonb->'views') as view
    where view->'filter'->>'assigneeId' is distinct from ${sub}), '[]'))::json`;
