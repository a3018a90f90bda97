import type { InboxPreferences } from '@switchboard/contracts';
import type { Db, Transactor, Tx } from '@switchboard/database';
import { and, eq, sql } from 'drizzle-orm';
import { conversations, inboxPreferences, turns } from '../schema/index.ts';
import { type Agent, withDefaults } from './agent.ts';

export interface DueDigest extends Agent {
  number: number;
  preferences: InboxPreferences;
  /** The marks of the conversations of the last digest. */
  digested: string[];
}

export interface WaitingConversation {
  id: string;
  subject: string | null;
  distinctId: string;
  waitingSince: Date;
  assigneeId: string | null;
  /** The start of the last turn. */
  lastTurn: string | null;
}

interface WaitingRequest extends Agent {
  teamIds: readonly string[];
  /** Conversations that have waited since this time or longer. */
  until: Date;
  limit: number;
}

export interface AgentsStore {
  preferences(agent: Agent): Promise<InboxPreferences | undefined>;
  /** Stores preferences. `lookAt` is the time of the next look for a digest; null for none. */
  putPreferences(
    agent: Agent,
    preferences: InboxPreferences,
    lookAt: Date | null,
    within: Transactor,
  ): Promise<void>;
  /** Takes a digest that is due. No other instance takes it before `lease`. */
  takeDue(now: Date, lease: Date): Promise<DueDigest | undefined>;
  /** Records when to look again, and the marks of the conversations of a digest. */
  settle(agent: Agent, lookAt: Date | null, digested?: readonly string[]): Promise<void>;
  /** Returns the conversations that wait for a member or one of their teams, longest first. */
  waiting(request: WaitingRequest): Promise<WaitingConversation[]>;
  /** Returns the member of a number. */
  agentOf(number: number): Promise<Agent | undefined>;
}

const SHOWN_OF_TURN = 200;

export function createAgentsStore(db: Db | Tx): AgentsStore {
  const isAgent = ({ projectId, sub }: Agent) =>
    and(eq(inboxPreferences.projectId, projectId), eq(inboxPreferences.sub, sub));

  return {
    async preferences(agent) {
      const [row] = await db
        .select({ preferences: inboxPreferences.preferences })
        .from(inboxPreferences)
        .where(isAgent(agent));
      return row && withDefaults(row.preferences);
    },

    async putPreferences(agent, preferences, lookAt, within) {
      await within.transaction(async (tx) => {
        // An insert that finds a row would use up a number.
        const stored = await tx
          .update(inboxPreferences)
          .set({ preferences, lookAt })
          .where(isAgent(agent))
          .returning({ number: inboxPreferences.number });
        if (stored.length > 0) return;
        await tx
          .insert(inboxPreferences)
          .values({ ...agent, preferences, lookAt })
          .onConflictDoUpdate({
            target: [inboxPreferences.projectId, inboxPreferences.sub],
            set: { preferences, lookAt },
          });
      });
    },

    async takeDue(now, lease) {
      const due = db
        .select({ number: inboxPreferences.number })
        .from(inboxPreferences)
        .where(sql`${inboxPreferences.lookAt} <= ${now.toISOString()}::timestamptz`)
        .orderBy(inboxPreferences.lookAt)
        .limit(1)
        .for('update', { skipLocked: true });
      const [row] = await db
        .update(inboxPreferences)
        .set({ lookAt: lease })
        .where(sql`${inboxPreferences.number} = (${due})`)
        .returning();
      return row && { ...row, preferences: withDefaults(row.preferences) };
    },

    async settle(agent, lookAt, digested) {
      await db
        .update(inboxPreferences)
        .set({ lookAt, ...(digested && { digested: [...digested] }) })
        // The member may have turned digests off in between.
        .where(and(isAgent(agent), sql`${inboxPreferences.lookAt} is not null`));
    },

    async waiting({ projectId, sub, teamIds, until, limit }) {
      return db
        .select({
          id: conversations.id,
          subject: conversations.subject,
          distinctId: conversations.distinctId,
          waitingSince: sql<Date>`${conversations.waitingSince}`.mapWith(conversations.waitingSince),
          assigneeId: conversations.assigneeId,
          lastTurn: sql<string | null>`left(${turns.body}, ${SHOWN_OF_TURN}::int)`,
        })
        .from(conversations)
        .leftJoin(
          turns,
          and(eq(turns.conversationId, conversations.id), eq(turns.position, conversations.turnCount)),
        )
        .where(
          and(
            eq(conversations.projectId, projectId),
            sql`${conversations.waitingSince} <= ${until.toISOString()}::timestamptz`,
            sql`not ${conversations.isSnoozed}`,
            sql`(${conversations.assigneeId} = ${sub} or (${conversations.assigneeId} is null
              and ${conversations.teamId} = any(${sql.param([...teamIds])}::text[])))`,
          ),
        )
        .orderBy(conversations.waitingSince, conversations.id)
        .limit(limit);
    },

    async agentOf(number) {
      const [row] = await db
        .select({ projectId: inboxPreferences.projectId, sub: inboxPreferences.sub })
        .from(inboxPreferences)
        .where(eq(inboxPreferences.number, number));
      return row;
    },
  };
}
