import type { ConversationStatus } from '@switchboard/contracts';
import { and, asc, desc, eq, isNotNull, lt, or, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../db.ts';
import { attachments, conversations, teammates, turns } from '../schema/index.ts';
import {
  type AttachmentRow,
  attachmentColumns,
  type ConversationRow,
  conversationColumns,
  type TurnRow,
  turnColumns,
} from './rows.ts';

export interface NewConversation extends ConversationRow {
  projectId: string;
  tokenHash: string;
  tokenExpiresAt: Date;
}

export interface Token {
  projectId: string;
  conversationId: string;
  tokenHash: string;
  now: Date;
}

/** Where a page of conversations begins: behind this one. */
export interface Place {
  lastTurnAt: Date;
  id: string;
}

export type ConversationStore = ReturnType<typeof createConversationStore>;

export function createConversationStore(db: Db) {
  const ofProject = (projectId: string, id: string) =>
    and(eq(conversations.projectId, projectId), eq(conversations.id, id));

  async function turnsWhere(projectId: string, conversationId: string, which?: SQL): Promise<TurnRow[]> {
    const ofTurn = and(eq(attachments.conversationId, conversationId), isNotNull(attachments.turnPosition));
    const [rows, files] = await Promise.all([
      db
        .select(turnColumns)
        .from(turns)
        .leftJoin(teammates, and(eq(teammates.projectId, projectId), isAuthor))
        .where(and(eq(turns.conversationId, conversationId), which))
        .orderBy(asc(turns.position)),
      db
        .select({ ...attachmentColumns, turnPosition: attachments.turnPosition })
        .from(attachments)
        .where(ofTurn)
        .orderBy(asc(attachments.turnPosition), asc(attachments.place)),
    ]);
    const byTurn = Map.groupBy(files, ({ turnPosition }) => turnPosition);
    return rows.map((row) => ({
      ...row,
      attachments: (byTurn.get(row.position) ?? []).map(withoutPosition),
    }));
  }

  /** The query behind `page`, for a test of what it reads. */
  function pageQuery(projectId: string, status: ConversationStatus | undefined, after: Place | undefined) {
    const behind =
      after &&
      or(
        lt(conversations.lastTurnAt, after.lastTurnAt),
        and(eq(conversations.lastTurnAt, after.lastTurnAt), lt(conversations.id, after.id)),
      );
    // Said apart, for the index: PostgreSQL does not search by the `or` above.
    const from = after && sql`${conversations.lastTurnAt} <= ${after.lastTurnAt.toISOString()}`;
    return db
      .select(conversationColumns)
      .from(conversations)
      .where(
        and(eq(conversations.projectId, projectId), status && eq(conversations.status, status), from, behind),
      )
      .orderBy(desc(conversations.lastTurnAt), desc(conversations.id));
  }

  return {
    pageQuery,

    async add(row: NewConversation): Promise<void> {
      await db.insert(conversations).values(row);
    },

    /** Whether the token opens this conversation of this project now. */
    async opens({ projectId, conversationId, tokenHash, now }: Token): Promise<boolean> {
      const [row] = await db
        .select({ tokenHash: conversations.tokenHash })
        .from(conversations)
        .where(
          and(
            ofProject(projectId, conversationId),
            eq(conversations.tokenHash, tokenHash),
            sql`${conversations.tokenExpiresAt} > ${now.toISOString()}`,
          ),
        );
      return row !== undefined;
    },

    /** Moves the token's end unless it stands within a minute of there, so that not every read writes. */
    async renew(id: string, until: SQL): Promise<void> {
      await db
        .update(conversations)
        .set({ tokenExpiresAt: until })
        .where(
          and(
            eq(conversations.id, id),
            sql`${conversations.tokenExpiresAt} < ${until} - interval '1 minute'`,
          ),
        );
    },

    async find(projectId: string, id: string): Promise<ConversationRow | undefined> {
      const [row] = await db.select(conversationColumns).from(conversations).where(ofProject(projectId, id));
      return row;
    },

    turns: (projectId: string, conversationId: string) => turnsWhere(projectId, conversationId),

    async turn(projectId: string, conversationId: string, position: number): Promise<TurnRow | undefined> {
      const [row] = await turnsWhere(projectId, conversationId, eq(turns.position, position));
      return row;
    },

    async page(
      projectId: string,
      status: ConversationStatus | undefined,
      after: Place | undefined,
      size: number,
    ): Promise<ConversationRow[]> {
      return pageQuery(projectId, status, after).limit(size);
    },

    async setStatus(projectId: string, id: string, status: ConversationStatus): Promise<boolean> {
      const rows = await db
        .update(conversations)
        .set({ status })
        .where(ofProject(projectId, id))
        .returning({ id: conversations.id });
      return rows.length > 0;
    },
  };
}

const isAuthor = and(eq(teammates.userId, turns.authorId), eq(turns.authorKind, 'teammate'));

function withoutPosition({ id, name, contentType, bytes }: AttachmentRow): AttachmentRow {
  return { id, name, contentType, bytes };
}
