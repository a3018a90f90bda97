import { hash } from 'node:crypto';

/** An event's place in the log: a line of a record on `events`, counted from 0. */
export interface Place {
  partition: number;
  offset: bigint;
  line: number;
}

/** An event's place with its key; see `eventKey`. */
export interface KeyedPlace extends Place {
  key: string;
  /** In milliseconds since 1970. */
  acceptedAt: number;
}

/** A row of the archive. Times are milliseconds since 1970. */
export interface ArchivedEvent extends Place {
  projectId: string;
  eventId: string;
  eventName: string;
  distinctId: string;
  sessionId: string | null;
  schemaVersion: number;
  /** As the client sent it. */
  timestamp: string;
  occurredAt: number;
  receivedAt: number;
  sentAt: number | null;
  /** JSON. */
  properties: string | null;
  /** JSON. */
  context: string | null;
}

/** A compact key of a project's event: 128 bits of SHA-256, as the digits of a UUID. */
export function eventKey(projectId: string, eventId: string): string {
  // No id contains NUL.
  return hash('sha256', `${projectId}\0${eventId}`, 'hex').slice(0, 32);
}

export function isSamePlace(one: Place, other: Place): boolean {
  return one.partition === other.partition && one.offset === other.offset && one.line === other.line;
}
