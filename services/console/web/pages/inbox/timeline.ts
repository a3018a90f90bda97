import type {
  ConversationHistoryEntry,
  ConversationNote,
  OperatorConversation,
} from '@switchboard/management';

type Rating = OperatorConversation['ratings'][number];
type Turn = OperatorConversation['turns'][number];

/** An entry of the time line of a conversation. */
export type Entry =
  | { kind: 'turn'; key: string; at: string; turn: Turn }
  | { kind: 'note'; key: string; at: string; note: ConversationNote }
  | { kind: 'rating'; key: string; at: string; rating: Rating }
  | { kind: 'change'; key: string; at: string; entry: ConversationHistoryEntry };

/** Returns turns, notes, changes and ratings, oldest first. */
export function timelineOf({
  turns,
  notes,
  history,
  ratings,
}: Pick<OperatorConversation, 'notes' | 'history' | 'ratings'> & { turns: readonly Turn[] }): Entry[] {
  const entries: Entry[] = [
    ...turns.map((turn): Entry => ({ kind: 'turn', key: turn.id, at: turn.createdAt, turn })),
    ...notes.map((note): Entry => ({ kind: 'note', key: note.id, at: note.createdAt, note })),
    ...ratings.map(
      (rating): Entry => ({ kind: 'rating', key: rating.resolvedAt, at: rating.ratedAt, rating }),
    ),
    ...history.map((entry): Entry => ({ kind: 'change', key: entry.id, at: entry.at, entry })),
  ];
  return entries.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}
