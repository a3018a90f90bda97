import { createSlots, turnOfLoop } from '@switchboard/resilience';
import { projectHolder } from '@switchboard/service-kit';
import type { NameAuthors } from './authors.ts';
import type { ConversationSize, ConversationsStore, TurnRow } from './store.ts';

/** Conversations that are read at the same time: the largest take megabytes and milliseconds each. */
const MAX_CONCURRENT = 2;
/** Read at a time of a conversation: it is answered within a millisecond. */
const PAGE_BYTES = 200_000;

export type ReadTurns = (
  projectId: string,
  conversation: ConversationSize,
  after: number | undefined,
) => Promise<TurnRow[]>;

/**
 * Reads the turns of conversations that are answered, oldest first. Projects take turns, between the pages of a large
 * conversation too, and at making one into JSON.
 */
export function createReadTurns(
  store: Pick<ConversationsStore, 'turns'>,
  nameAuthors: NameAuthors,
): ReadTurns {
  const inSlot = createSlots(MAX_CONCURRENT);
  return async (projectId, { id, turnCount, turnBytes }, after = 0) => {
    const pageTurns = Math.max(1, Math.floor((PAGE_BYTES * turnCount) / Math.max(1, turnBytes)));
    const isLarge = turnCount - after > pageTurns;
    const all: TurnRow[] = [];
    for (let from = after; from < turnCount; from += pageTurns) {
      const range = { after: from, upTo: Math.min(from + pageTurns, turnCount) };
      const page = await inSlot(projectId, async () => {
        const turns = await store.turns(projectId, id, range);
        if (isLarge) await turnOfLoop(projectHolder(projectId));
        return turns;
      });
      all.push(...page);
    }
    return nameAuthors(projectId, all);
  };
}
