import type {
  ConversationSummary,
  InsightPerson,
  OperatorConversation,
  Replay,
  StoredEvent,
} from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import { duration } from '../../components/values.tsx';
import type { KINDS } from './search.ts';

/** A moment in the time line of a person. */
export interface Moment {
  key: string;
  at: string;
  kind: (typeof KINDS)[number];
  text: string;
  /** The id that did it. */
  distinctId: string;
  /** The recording that shows the moment, with the seconds from its start. */
  recording?: { sessionId: string; at: number } | undefined;
}

interface Known {
  ids: InsightPerson['ids'];
  events: readonly StoredEvent[];
  conversations: readonly ConversationSummary[];
  /** Conversations with their messages. */
  read: readonly OperatorConversation[];
  recordings: readonly Replay[];
}

/** Returns everything that is known of a person in one order, newest first. */
export function momentsOf({ ids, events, conversations, read, recordings }: Known): Moment[] {
  const recorded = new Map(recordings.map((one) => [one.sessionId, one]));
  const shownAt = (sessionId: string | null, at: string): Moment['recording'] => {
    const recording = recorded.get(sessionId ?? '');
    if (recording === undefined || at > recording.lastAt) return undefined;
    const seconds = (Date.parse(at) - Date.parse(recording.firstAt)) / 1000;
    return { sessionId: recording.sessionId, at: Math.max(0, Math.floor(seconds)) };
  };
  const moments: Moment[] = [
    ...events.map((event) => ({
      key: `event ${event.eventId}`,
      at: event.occurredAt,
      kind: 'event' as const,
      text: event.name,
      distinctId: event.distinctId,
      recording: shownAt(event.sessionId, event.occurredAt),
    })),
    ...sessionsOf(events).map(({ sessionId, first, last, count }) => ({
      key: `session ${sessionId}`,
      at: first.occurredAt,
      kind: 'session' as const,
      text: t('Session with {count, plural, one {# event} other {# events}}, {length}', {
        count,
        length: duration(Date.parse(last.occurredAt) - Date.parse(first.occurredAt)),
      }),
      distinctId: first.distinctId,
      recording: shownAt(sessionId, first.occurredAt),
    })),
    ...conversations.map((one) => ({
      key: `conversation ${one.id}`,
      at: one.createdAt,
      kind: 'conversation' as const,
      text: one.subject ?? t('Conversation'),
      distinctId: one.distinctId,
    })),
    ...read.flatMap(({ distinctId, turns }) =>
      (turns ?? []).map((turn) => ({
        key: `message ${turn.id}`,
        at: turn.createdAt,
        kind: 'message' as const,
        text: t('{author}: {text}', { author: turn.authorName ?? turn.authorKind, text: turn.body }),
        distinctId,
      })),
    ),
    ...recordings.map((one) => ({
      key: `recording ${one.sessionId}`,
      at: one.firstAt,
      kind: 'recording' as const,
      text: t('Recording of {length}', {
        length: duration(Date.parse(one.lastAt) - Date.parse(one.firstAt)),
      }),
      distinctId: one.distinctIds[0] ?? '',
      recording: { sessionId: one.sessionId, at: 0 },
    })),
    ...ids.flatMap(({ distinctId, joinedAt, joinedBy }) =>
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

interface Session {
  sessionId: string;
  first: StoredEvent;
  last: StoredEvent;
  count: number;
}

/** Returns the sessions of events that are sorted newest first. */
function sessionsOf(events: readonly StoredEvent[]): Session[] {
  const sessions = new Map<string, Session>();
  for (const event of events) {
    if (event.sessionId === null) continue;
    const known = sessions.get(event.sessionId);
    const { last = event, count = 0 } = known ?? {};
    sessions.set(event.sessionId, { sessionId: event.sessionId, first: event, last, count: count + 1 });
  }
  return [...sessions.values()];
}
