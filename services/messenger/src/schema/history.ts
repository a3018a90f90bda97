import type { ConversationChange } from '@switchboard/contracts';
import { newId, type Tx } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { conversationHistory, conversationResolutions } from './support.ts';

/** The number of changes that the history of a conversation keeps. */
export const MAX_HISTORY = 200;

/** Adds a change to the history of conversations, which keeps the latest. */
export async function addHistory(
  tx: Tx,
  conversationIds: readonly string[],
  entry: { at: Date; authorId: string | null; change: ConversationChange },
): Promise<void> {
  if (conversationIds.length === 0) return;
  await tx
    .insert(conversationHistory)
    .values(conversationIds.map((conversationId) => ({ ...entry, conversationId, id: newId('chg') })));
  await tx.execute(sql`
    delete from ${conversationHistory} using (
      select conversation_id, id, row_number() over (partition by conversation_id order by id desc) as place
      from ${conversationHistory} where conversation_id = any(${sql.param(conversationIds)}::text[])
    ) as ranked
    where ranked.place > ${MAX_HISTORY} and conversation_history.conversation_id = ranked.conversation_id
      and conversation_history.id = ranked.id`);
}

/** The number of resolutions that a conversation keeps. */
const MAX_RESOLUTIONS = 50;

interface NewResolution {
  conversationId: string;
  projectId: string;
  resolvedAt: Date;
  /** When the conversation was opened, or opened again. */
  openedAt: Date;
}

/** Adds resolutions of different conversations. Each conversation keeps the latest. */
export async function addResolutions(tx: Tx, added: readonly NewResolution[]): Promise<void> {
  if (added.length === 0) return;
  await tx
    .insert(conversationResolutions)
    .values([...added])
    .onConflictDoNothing();
  const ids = sql.param(added.map(({ conversationId }) => conversationId));
  await tx.execute(sql`
    delete from ${conversationResolutions} using (
      select conversation_id, resolved_at,
        row_number() over (partition by conversation_id order by resolved_at desc) as place
      from ${conversationResolutions} where conversation_id = any(${ids}::text[])
    ) as ranked
    where ranked.place > ${MAX_RESOLUTIONS}
      and conversation_resolutions.conversation_id = ranked.conversation_id
      and conversation_resolutions.resolved_at = ranked.resolved_at`);
}
