import { createSlots, turnOfLoop } from '@switchboard/resilience';
import { projectHolder } from '@switchboard/service-kit';
import type { ConversationsStore, TurnRange, TurnRow } from './store.ts';

/** Conversations that are read at the same time: the largest take megabytes and milliseconds each. */
const MAX_CONCURRENT = 2;
/** Up to here a conversation is answered within a millisecond. */
const SMALL_CHARACTERS = 200_000;

export type ReadTurns = (
  projectId: string,
  conversationId: string,
  range: Partial<TurnRange>,
) => Promise<TurnRow[]>;

/** Reads the turns of conversations that are answered. Projects take turns, also at making a large one into JSON. */
export function createReadTurns(store: Pick<ConversationsStore, 'turns'>): ReadTurns {
  const inSlot = createSlots(MAX_CONCURRENT);
  return (projectId, conversationId, range) =>
    inSlot(projectId, async () => {
      const turns = await store.turns(projectId, conversationId, range);
      const characters = turns.reduce((sum, { body }) => sum + body.length, 0);
      if (characters > SMALL_CHARACTERS) await turnOfLoop(projectHolder(projectId));
      return turns;
    });
}
