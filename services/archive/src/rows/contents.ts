import type { Row } from './row.ts';

/** The projects that a file has rows of; see `archiveFileRecord`. */
export interface Coverage {
  /** Null for many projects. */
  projectId: string | null;
  bucket: number | null;
  buckets: number | null;
}

export const ANY_PROJECT: Coverage = { projectId: null, bucket: null, buckets: null };

/** Metadata of rows. Times are milliseconds since 1970. */
export interface Contents {
  rows: number;
  /** Approximate bytes of the rows in memory. */
  rowBytes: number;
  firstOccurredAt: number;
  lastOccurredAt: number;
  /** Null if too many. */
  eventNames: string[] | null;
}

/** A file with a stored object. */
export interface NewFile extends Contents, Coverage {
  key: string;
  /** The UTC day of acceptance. */
  day: string;
  bytes: number;
}

const MAX_EVENT_NAMES = 100;
/** Limited, so that records of many files stay small. */
const MAX_NAMES_LENGTH = 4_000;
/** Approximate bytes of an event without its texts. */
const EVENT_BYTES = 300;

/** Collects the contents of rows as they are written. */
export function collectContents() {
  const names = new Set<string>();
  let namesLength = 0;
  const known = {
    rows: 0,
    rowBytes: 0,
    firstOccurredAt: Number.POSITIVE_INFINITY,
    lastOccurredAt: Number.NEGATIVE_INFINITY,
  };
  const hasTooManyNames = () => names.size > MAX_EVENT_NAMES || namesLength > MAX_NAMES_LENGTH;

  return {
    add(event: Row): void {
      known.rows += 1;
      known.rowBytes += EVENT_BYTES + (event.properties?.length ?? 0) + (event.context?.length ?? 0);
      known.firstOccurredAt = Math.min(known.firstOccurredAt, event.occurredAt);
      known.lastOccurredAt = Math.max(known.lastOccurredAt, event.occurredAt);
      if (hasTooManyNames() || names.has(event.eventName)) return;
      names.add(event.eventName);
      namesLength += event.eventName.length;
    },
    get: (): Contents => ({ ...known, eventNames: hasTooManyNames() ? null : [...names].sort() }),
  };
}
