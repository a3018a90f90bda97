import { hash } from 'node:crypto';
import { keyPart } from '@switchboard/object-store';
import type { Segment } from './store.ts';

const OFFSET_DIGITS = 16;

/** Where a segment begins, which names its files. */
export type Position = Pick<Segment, 'partition' | 'firstOffset' | 'firstAt'>;

/** The UTC day of a time. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The object with the events of a segment that were accepted on one day (UTC), of all projects without their own. */
export function fileKey(segment: Position, receivedAt: number): string {
  return `${keyPrefix(segment, dayOf(receivedAt))}.parquet`;
}

/** The object with those of one project, where it has many. */
export function ownFileKey(
  segment: Position,
  { projectId, receivedAt }: { projectId: string; receivedAt: number },
): string {
  const project = hash('sha256', projectId, 'hex').slice(0, 16);
  return `${keyPrefix(segment, dayOf(receivedAt))}-${project}.parquet`;
}

/** The folder of a project's files before a file had many projects. */
export const formerFolder = (projectId: string): string => `events/${keyPart(projectId)}/`;

/** Where such a file is. */
export function formerFileKey(
  segment: Position,
  { projectId, receivedAt }: { projectId: string; receivedAt: number },
): string {
  return `${formerFolder(projectId)}${dayOf(receivedAt)}/${positionOf(segment)}.parquet`;
}

/** What the keys of a segment's files of a day begin with. */
export function keyPrefix(segment: Position, day: string): string {
  return `events/${day}/${positionOf(segment)}`;
}

function positionOf({ partition, firstOffset, firstAt }: Position): string {
  return `events-${partition}-${String(firstOffset).padStart(OFFSET_DIGITS, '0')}-${firstAt}`;
}
