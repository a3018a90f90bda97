import { type Db, type Tx, tryTransaction } from '@switchboard/database';
import { and, asc, eq, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { RatingReads, RatingRow } from '../conversations/staff.ts';
import { conversationResolutions, conversations, supportSettings } from '../schema/index.ts';

/** The last resolution of a resolved conversation. */
export interface Resolution {
  resolvedAt: Date;
  score: number | null;
  comment: string | null;
  ratedAt: Date | null;
  /** Whether the project asks for ratings. */
  isAsked: boolean;
}

interface Rating {
  conversationId: string;
  resolvedAt: Date;
  score: number;
  comment: string | null;
  at: Date;
  /** A rating from before this time is kept. */
  changeableFrom: Date;
}

export interface SatisfactionStore extends RatingReads {
  /** Returns the resolution of a conversation. Undefined if the conversation is not resolved. */
  resolution(conversationId: string): Promise<Resolution | undefined>;
  /** Returns false if the resolution or its rating can no longer be rated. */
  rate(rating: Rating): Promise<boolean>;
}

export function createSatisfactionStore(db: Db | Tx): SatisfactionStore {
  return {
    async resolution(conversationId) {
      const [row] = await db
        .select({
          resolvedAt: conversationResolutions.resolvedAt,
          score: conversationResolutions.score,
          comment: conversationResolutions.comment,
          ratedAt: conversationResolutions.ratedAt,
          isAsked: sql<boolean>`coalesce(${supportSettings.asksSatisfaction}, false)`,
        })
        .from(conversations)
        .innerJoin(
          conversationResolutions,
          and(
            eq(conversationResolutions.conversationId, conversations.id),
            eq(conversationResolutions.resolvedAt, conversations.resolvedAt),
          ),
        )
        .leftJoin(supportSettings, eq(supportSettings.projectId, conversations.projectId))
        .where(eq(conversations.id, conversationId));
      return row;
    },

    async rate({ conversationId, resolvedAt, score, comment, at, changeableFrom }) {
      return tryTransaction(db, async (tx, undo) => {
        const [conversation] = await tx
          .update(conversations)
          .set({ satisfactionScore: score })
          .where(and(eq(conversations.id, conversationId), eq(conversations.resolvedAt, resolvedAt)))
          .returning({ id: conversations.id });
        if (conversation === undefined) return undo(false);
        const rated = await tx
          .update(conversationResolutions)
          .set({
            score,
            comment,
            ratedAt: sql`coalesce(${conversationResolutions.ratedAt}, ${at.toISOString()}::timestamptz)`,
          })
          .where(
            and(
              eq(conversationResolutions.conversationId, conversationId),
              eq(conversationResolutions.resolvedAt, resolvedAt),
              or(
                isNull(conversationResolutions.ratedAt),
                sql`${conversationResolutions.ratedAt} > ${changeableFrom.toISOString()}::timestamptz`,
              ),
            ),
          )
          .returning({ id: conversationResolutions.conversationId });
        return rated.length > 0 || undo(false);
      });
    },

    async ratings(conversationId) {
      const rows = await db
        .select({
          score: conversationResolutions.score,
          comment: conversationResolutions.comment,
          ratedAt: conversationResolutions.ratedAt,
          resolvedAt: conversationResolutions.resolvedAt,
        })
        .from(conversationResolutions)
        .where(
          and(
            eq(conversationResolutions.conversationId, conversationId),
            isNotNull(conversationResolutions.ratedAt),
          ),
        )
        .orderBy(asc(conversationResolutions.resolvedAt));
      return rows.filter((row): row is RatingRow => row.score !== null && row.ratedAt !== null);
    },
  };
}
