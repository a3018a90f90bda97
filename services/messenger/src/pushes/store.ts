import type { InboxPreferences } from '@switchboard/contracts';
import type { Db, Transactor } from '@switchboard/database';
import type { PushTarget } from '@switchboard/push';
import { and, desc, eq, inArray, lte, ne, notInArray, or, sql } from 'drizzle-orm';
import { type Agent, withDefaults } from '../agents/agent.ts';
import { conversations, inboxPreferences, pushSubscriptions, turns, waitingPushes } from '../schema/index.ts';

interface NewSubscription extends Agent, PushTarget {
  id: string;
  publicKey: string;
  createdAt: Date;
}

export interface DuePush {
  conversationId: string;
  projectId: string;
  attempts: number;
  /** null for all subscriptions of the project. */
  subscriptionIds: string[] | null;
  /** The time until which no other instance takes it. */
  dueAt: Date;
}

export interface PushedConversation {
  subject: string | null;
  assigneeId: string | null;
  teamId: string | null;
  /** The start of the last turn, if it is one of the visitor. */
  text: string | null;
}

export interface Subscriber extends Agent, PushTarget {
  id: string;
  preferences: InboxPreferences;
}

export interface PushesStore {
  /** Returns the subscriptions of a member, newest first. */
  list(agent: Agent): Promise<{ id: string; endpoint: string; createdAt: Date }[]>;
  /**
   * Adds a subscription. Replaces that of the same endpoint, those of other people in the browser, and the oldest
   * of a member with more than `max`.
   */
  add(subscription: NewSubscription, max: number, within: Transactor): Promise<void>;
  remove(agent: Agent, id: string, within: Transactor): Promise<void>;
  /** Takes a push of another project than `busy` that is due. No other instance takes it before `lease`. */
  takeDue(now: Date, lease: Date, busy: readonly string[]): Promise<DuePush | undefined>;
  find(conversationId: string): Promise<PushedConversation | undefined>;
  /** Returns the subscriptions of a project to this VAPID key, with the preferences of their members. */
  subscribers(projectId: string, publicKey: string, ids: readonly string[] | null): Promise<Subscriber[]>;
  /** Removes subscriptions of a project to other VAPID keys. */
  removeOfOtherKeys(projectId: string, publicKey: string): Promise<void>;
  drop(ids: readonly string[]): Promise<void>;
  /** Ends a push, unless a further turn made it due since it was taken. */
  settle(due: DuePush): Promise<void>;
  /** Repeats a push for some of its subscriptions, unless a further turn made it due for all. */
  retry(due: DuePush, at: Date, subscriptionIds: readonly string[]): Promise<void>;
}

const SHOWN_OF_TURN = 160;

export function createPushesStore(db: Db): PushesStore {
  const isAgent = ({ projectId, sub }: Agent) =>
    and(eq(pushSubscriptions.projectId, projectId), eq(pushSubscriptions.sub, sub));
  const isTaken = ({ conversationId, dueAt }: DuePush) =>
    and(eq(waitingPushes.conversationId, conversationId), eq(waitingPushes.dueAt, dueAt));

  return {
    list: (agent) =>
      db
        .select({
          id: pushSubscriptions.id,
          endpoint: pushSubscriptions.endpoint,
          createdAt: pushSubscriptions.createdAt,
        })
        .from(pushSubscriptions)
        .where(isAgent(agent))
        .orderBy(desc(pushSubscriptions.createdAt), desc(pushSubscriptions.id)),

    async add({ keys, ...subscription }, max, within) {
      const { projectId, sub, endpoint } = subscription;
      await within.transaction(async (tx) => {
        await tx
          .delete(pushSubscriptions)
          .where(
            and(
              eq(pushSubscriptions.endpoint, endpoint),
              or(eq(pushSubscriptions.projectId, projectId), ne(pushSubscriptions.sub, sub)),
            ),
          );
        await tx
          .insert(pushSubscriptions)
          .values({ ...subscription, ...keys })
          .onConflictDoNothing();
        const kept = tx
          .select({ id: pushSubscriptions.id })
          .from(pushSubscriptions)
          .where(isAgent(subscription))
          .orderBy(desc(pushSubscriptions.createdAt), desc(pushSubscriptions.id))
          .limit(max);
        await tx
          .delete(pushSubscriptions)
          .where(and(isAgent(subscription), sql`${pushSubscriptions.id} not in (${kept})`));
      });
    },

    async remove(agent, id, within) {
      await within.transaction((tx) =>
        tx.delete(pushSubscriptions).where(and(isAgent(agent), eq(pushSubscriptions.id, id))),
      );
    },

    async takeDue(now, lease, busy) {
      const due = db
        .select({ conversationId: waitingPushes.conversationId })
        .from(waitingPushes)
        .where(and(lte(waitingPushes.dueAt, now), notInArray(waitingPushes.projectId, [...busy])))
        .orderBy(waitingPushes.dueAt)
        .limit(1)
        .for('update', { skipLocked: true });
      const [row] = await db
        .update(waitingPushes)
        .set({ dueAt: lease })
        .where(sql`${waitingPushes.conversationId} = (${due})`)
        .returning();
      return row;
    },

    async find(conversationId) {
      const [row] = await db
        .select({
          subject: conversations.subject,
          assigneeId: conversations.assigneeId,
          teamId: conversations.teamId,
          text: sql<string | null>`case when ${turns.authorKind} = 'visitor'
            then left(${turns.body}, ${SHOWN_OF_TURN}::int) end`,
        })
        .from(conversations)
        .leftJoin(
          turns,
          and(eq(turns.conversationId, conversations.id), eq(turns.position, conversations.turnCount)),
        )
        .where(eq(conversations.id, conversationId));
      return row;
    },

    async subscribers(projectId, publicKey, ids) {
      const rows = await db
        .select({ subscription: pushSubscriptions, preferences: inboxPreferences.preferences })
        .from(pushSubscriptions)
        .innerJoin(
          inboxPreferences,
          and(
            eq(inboxPreferences.projectId, pushSubscriptions.projectId),
            eq(inboxPreferences.sub, pushSubscriptions.sub),
          ),
        )
        .where(
          and(
            eq(pushSubscriptions.projectId, projectId),
            eq(pushSubscriptions.publicKey, publicKey),
            ids === null ? undefined : inArray(pushSubscriptions.id, [...ids]),
          ),
        );
      return rows.map(({ subscription: { id, sub, endpoint, p256dh, auth }, preferences }) => ({
        id,
        projectId,
        sub,
        endpoint,
        keys: { p256dh, auth },
        preferences: withDefaults(preferences),
      }));
    },

    async removeOfOtherKeys(projectId, publicKey) {
      await db
        .delete(pushSubscriptions)
        .where(and(eq(pushSubscriptions.projectId, projectId), ne(pushSubscriptions.publicKey, publicKey)));
    },

    async drop(ids) {
      if (ids.length > 0) await db.delete(pushSubscriptions).where(inArray(pushSubscriptions.id, [...ids]));
    },

    async settle(due) {
      await db.delete(waitingPushes).where(isTaken(due));
    },

    async retry(due, at, subscriptionIds) {
      await db
        .update(waitingPushes)
        .set({ dueAt: at, attempts: due.attempts + 1, subscriptionIds: [...subscriptionIds] })
        .where(isTaken(due));
    },
  };
}
