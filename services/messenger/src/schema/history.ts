import type { ConversationChange } from '@switchboard/contracts';
import { newId, type Tx } from '@switchboard/database';
import { sql } from 'drizzle-orm';
import { conversationHistory } from './support.ts';

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
