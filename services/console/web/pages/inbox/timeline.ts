import type {
  ConversationHistoryEntry,
  ConversationNote,
  OperatorConversation,
} from '@switchboard/management';

type Turn = OperatorConversation['turns'][number];

/** An entry of the time line of a conversation. */
export type Entry =
  | { kind: 'turn'; key: string; at: string; turn: Turn }
  | { kind: 'note'; key: string; at: string; note: ConversationNote }
  | { kind: 'change'; key: string; at: string; entry: ConversationHistoryEntry };

/** Returns turns, notes and changes, oldest first. */
export function timelineOf({
  turns,
  notes,
  history,
}: Pick<OperatorConversation, 'notes' | 'history'> & { turns: readonly Turn[] }): Entry[] {
  const entries: Entry[] = [
    ...turns.map((turn): Entry => ({ kind: 'turn', key: turn.id, at: turn.createdAt, turn })),
    ...notes.map((note): Entry => ({ kind: 'note', key: note.id, at: note.createdAt, note })),
    ...history.map((entry): Entry => ({ kind: 'change', key: entry.id, at: entry.at, entry })),
  ];
  return entries.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
