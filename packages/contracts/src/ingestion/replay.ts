import { z } from '@hono/zod-openapi';
import { id, text, timestamp } from '../fields/fields.ts';
import type { Json } from '../fields/json.ts';
import { UnparsedItems } from '../fields/unparsed-items.ts';
import { apiKey } from './api-key.ts';

/** Recorded events are stored as sent, so they are kept as bytes. */
const events = z
  .custom<Json[] | UnparsedItems>(
    (value) => Array.isArray(value) || value instanceof UnparsedItems,
    'not an array',
  )
  .transform(UnparsedItems.of)
  .openapi({ type: 'array', items: {} });

export const replayChunk = z
  .object({
    api_key: apiKey,
    distinct_id: id,
    events,
    masked: z.boolean(),
    schema_version: z.int(),
    sdk: text({ max: 200 }).nullable().optional(),
    seq: z.int().min(0),
    session_id: id,
    timestamp,
  })
  .openapi('ReplayChunk');
export type ReplayChunk = z.infer<typeof replayChunk>;
