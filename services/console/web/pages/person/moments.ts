import type { ConversationSummary, InsightPerson, Replay } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import { duration } from '../../components/values.tsx';

/** A moment in the time line of a person. */
export interface Moment {
  key: string;
  at: string;
  kind: 'event' | 'conversation' | 'recording' | 'join';
  text: string;
  /** The id that did it. */
  distinctId: string;
}

interface Known {
  person: Pick<InsightPerson, 'events' | 'ids'>;
  conversations: readonly ConversationSummary[];
  recordings: readonly Replay[];
}

/** Returns everything that is known of a person in one order, newest first. */
export function momentsOf({ person, conversations, recordings }: Known): Moment[] {
  const moments: Moment[] = [
    ...person.events.map((event) => ({
      key: `event ${event.eventId}`,
      at: event.occurredAt,
      kind: 'event' as const,
      text: event.name,
      distinctId: event.distinctId,
    })),
    ...conversations.map((one) => ({
      key: `conversation ${one.id}`,
      at: one.lastTurnAt,
      kind: 'conversation' as const,
      text: one.subject ?? t('Conversation'),
      distinctId: one.distinctId,
    })),
    ...recordings.map((one) => ({
      key: `recording ${one.sessionId}`,
      at: one.firstAt,
      kind: 'recording' as const,
      text: t('Recording of {length}', {
        length: duration(Date.parse(one.lastAt) - Date.parse(one.firstAt)),
      }),
      distinctId: one.distinctIds[0] ?? '',
    })),
    ...person.ids.flatMap(({ distinctId, joinedAt, joinedBy }) =>
      joinedAt === null
        ? []
        : [
            {
              key: `join ${distinctId}`,
              at: joinedAt,
              kind: 'join' as const,
              text:
                joinedBy?.kind === 'colleague'
                  ? t('{distinctId} joined by a colleague', { distinctId })
                  : t('{distinctId} joined by an identify call', { distinctId }),
              distinctId,
            },
          ],
    ),
  ];
  return moments.sort((one, other) => Date.parse(other.at) - Date.parse(one.at));
}
