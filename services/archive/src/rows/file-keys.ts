import { hash } from 'node:crypto';
import { keyPart } from '@switchboard/object-store';

const OFFSET_DIGITS = 16;

/** The start of a segment, which names its files. The time is a log timestamp, in milliseconds since 1970. */
export interface Position {
  partition: number;
  firstOffset: bigint;
  firstAt: number;
}

/** Returns the UTC day of a time. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Returns the key of a segment's file for one UTC day of acceptance, with all projects that have no own file. */
export function fileKey(segment: Position, receivedAt: number): string {
  return `${keyPrefix(segment, dayOf(receivedAt))}.parquet`;
}

/** Returns the key of the file of a single large project. */
export function ownFileKey(
  segment: Position,
  { projectId, receivedAt }: { projectId: string; receivedAt: number },
): string {
  const project = hash('sha256', projectId, 'hex').slice(0, 16);
  return `${keyPrefix(segment, dayOf(receivedAt))}-${project}.parquet`;
}

/** Returns the folder of a project's files from before files had many projects. */
export const formerFolder = (projectId: string): string => `events/${keyPart(projectId)}/`;

/** Returns the key of such a file. */
export function formerFileKey(
  segment: Position,
  { projectId, receivedAt }: { projectId: string; receivedAt: number },
): string {
  return `${formerFolder(projectId)}${dayOf(receivedAt)}/${positionOf(segment)}.parquet`;
}

/** Returns the prefix of the keys of a segment's files of a day. */
export function keyPrefix(segment: Position, day: string): string {
  return `events/${day}/${positionOf(segment)}`;
}

function positionOf({ partition, firstOffset, firstAt }: Position): string {
  return `events-${partition}-${String(firstOffset).padStart(OFFSET_DIGITS, '0')}-${firstAt}`;
}
