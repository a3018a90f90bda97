import type { ArchivedEvent, Row } from '../rows/row.ts';

/** For tests: returns an archived event of `ada`. */
export const archivedEvent = (index: number, more: Partial<ArchivedEvent> = {}): ArchivedEvent => ({
  projectId: 'shop',
  eventId: `event-${index}`,
  eventName: 'page seen',
  distinctId: 'ada',
  sessionId: null,
  schemaVersion: 1,
  timestamp: '2026-03-01T09:30:00.1234+02:00',
  occurredAt: 1_772_350_200_123,
  receivedAt: 1_772_350_200_456,
  sentAt: null,
  isBot: false,
  properties: null,
  context: null,
  partition: 3,
  offset: 2n ** 53n + BigInt(index),
  line: index,
  ...more,
});

/** For tests: returns a row that was read, with all texts as strings. */
export function withStrings({ eventId, timestamp, sessionId, properties, ...more }: Row): ArchivedEvent {
  return {
    ...more,
    eventId: stringOf(eventId),
    timestamp: stringOf(timestamp),
    sessionId: sessionId && stringOf(sessionId),
    properties: properties && stringOf(properties),
  };
}

const stringOf = (text: string | Uint8Array) => Buffer.from(text).toString();
