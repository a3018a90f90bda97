import { hash } from 'node:crypto';

/** Where the log has an event: a line of a record on `events`, lines counted from 0. */
export interface Place {
  partition: number;
  offset: bigint;
  line: number;
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

/** Stands for an event of a project where events are counted in millions: 128 bits of SHA-256, as a UUID's digits. */
export function eventKey(projectId: string, eventId: string): string {
  // No id has a NUL in it.
  return hash('sha256', `${projectId}\0${eventId}`, 'hex').slice(0, 32);
}

export function isSamePlace(one: Place, other: Place): boolean {
  return one.partition === other.partition && one.offset === other.offset && one.line === other.line;
}
