import { EventLogUnavailable } from './errors.ts';

export interface RepartitionOptions {
  topic: string;
  /** The number of partitions, from 1 to 1,000. */
  partitions: number;
  /** The time from the pause until no publisher uses what it knew before. Default: 15,000. */
  settleMs?: number;
  onProgress?(message: string): void;
}

/** How often to look whether consumers have read everything. */
export const POLL_MS = 250;

/** Returns the error for a topic that an earlier run is giving another number of partitions. */
export function otherRun(topic: string, planned: number, current: number | undefined): EventLogUnavailable {
  const keep = current === undefined ? '' : `, or with ${current} to keep its partitions`;
  return new EventLogUnavailable(
    `a run that did not end is giving ${topic} ${planned} partitions: run it again with that number${keep}`,
  );
}

export const pausedMessage = (topic: string) =>
  `publishing to ${topic} is paused until this ends. If it is interrupted, run it again`;

/** Calls `onProgress` with the groups that are waited for, once until they change. */
export function reportWaiting(topic: string, onProgress: (message: string) => void) {
  let last = '';
  return (groups: readonly string[]) => {
    const text = groups.toSorted().join(', ');
    if (text !== last && text !== '') onProgress(`waiting for the consumers of ${topic}: ${text}`);
    last = text;
  };
}
