import { createHash } from 'node:crypto';

/** Standard Webhooks recommends at most 20 kB for a body. */
const MAX_BODY_BYTES = 20_000;
const ID_BYTES = 18;

/** The content of a message, before it is addressed to a webhook. */
export interface Occurrence {
  type: string;
  at: string;
  /** The person, conversation, flag or report that it is about. Messages of one subject can be sent in order. */
  subject: string;
  /** Identifies the occurrence in its project. */
  sourceId: string;
  /** The data that a message too large for its bound has instead. */
  ids: Record<string, unknown>;
  data: Record<string, unknown>;
}

/** Returns the body of a message: `{type, timestamp, data}`. A larger one has ids and `truncated: true` as its data. */
export function bodyOf({ type, at, ids, data }: Occurrence): string {
  const whole = JSON.stringify({ type, timestamp: at, data });
  if (Buffer.byteLength(whole) <= MAX_BODY_BYTES) return whole;
  return JSON.stringify({ type, timestamp: at, data: { ...ids, truncated: true } });
}

/** Returns the id of a message. An occurrence that is read twice has the same id. */
export function messageId(projectId: string, webhookId: string, { type, sourceId }: Occurrence): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([projectId, webhookId, type, sourceId]))
    .digest();
  return `msg_${hash.subarray(0, ID_BYTES).toString('base64url')}`;
}
