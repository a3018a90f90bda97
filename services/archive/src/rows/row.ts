/** The place of an event in the log: a line of a record on `events`, counted from 0. */
export interface Place {
  partition: number;
  offset: bigint;
  line: number;
}

/** A row of the archive. Unsorted texts may be UTF-8 bytes. Times are milliseconds since 1970. */
export interface Row<Text = string | Uint8Array> extends Place {
  projectId: string;
  eventId: Text;
  eventName: string;
  distinctId: string;
  sessionId: Text | null;
  schemaVersion: number;
  /** As the client sent it. */
  timestamp: Text;
  occurredAt: number;
  receivedAt: number;
  sentAt: number | null;
  /** Whether a known bot sent the event. */
  isBot: boolean;
  /** JSON. */
  properties: Text | null;
  /** JSON. */
  context: string | null;
}

export type ArchivedEvent = Row<string>;

/** The order of rows in a file, which keeps the rows of a question together. No two rows are equal. */
export function compareRows(one: Row, other: Row): number {
  return (
    compare(one.projectId, other.projectId) ||
    compare(one.eventName, other.eventName) ||
    compare(one.distinctId, other.distinctId) ||
    one.occurredAt - other.occurredAt ||
    one.partition - other.partition ||
    compare(one.offset, other.offset) ||
    one.line - other.line
  );
}

function compare<T extends string | bigint>(one: T, other: T): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
