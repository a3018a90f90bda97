import { hash } from 'node:crypto';
import type { Place } from '../rows/row.ts';

/** The place of an event, with its key; see `eventKey`. */
export interface KeyedPlace extends Place {
  key: string;
  /** Milliseconds since 1970. */
  acceptedAt: number;
}

/** The events of a record with their keys. */
export interface KeyedRecord extends Omit<Place, 'line'> {
  /** The keys of the events, in order, separated by commas. */
  keys: string;
  lines: readonly number[];
  acceptedAt: number;
}

/** Returns a compact key of a project's event: 128 bits of SHA-256, as the digits of a UUID. */
export function eventKey(projectId: string, eventId: string): string {
  // No id contains NUL.
  return hash('sha256', `${projectId}\0${eventId}`, 'hex').slice(0, 32);
}

/** Returns a record with only this event. */
export function recordOf({ key, line, ...place }: KeyedPlace): KeyedRecord {
  return { ...place, keys: key, lines: [line] };
}

/** Also compares times, because a recreated topic reuses offsets. */
export function isSamePlace(one: Omit<KeyedPlace, 'key'>, other: Omit<KeyedPlace, 'key'>): boolean {
  return (
    one.partition === other.partition &&
    one.offset === other.offset &&
    one.line === other.line &&
    one.acceptedAt === other.acceptedAt
  );
}
